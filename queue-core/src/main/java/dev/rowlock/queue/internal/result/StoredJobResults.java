package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.record.RecordedOutcomes;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.result.FindEndedJobs;
import dev.rowlock.queue.internal.store.result.FindEndedJobs.Ended;
import dev.rowlock.queue.internal.store.result.ReadProgress;
import dev.rowlock.queue.internal.store.workflow.read.FindEndedWorkflows;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.result.JobHandle;
import dev.rowlock.queue.result.JobResults;
import dev.rowlock.queue.spi.PayloadCodec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Results of the jobs in the tables. */
public final class StoredJobResults implements JobResults, AutoCloseable {

    /** A job that has just begun may end at once. */
    private static final Duration SHORTEST = Duration.ofMillis(20);

    final Database database;
    final PayloadCodec codec;
    final FindEndedJobs find;
    final ReadProgress progress;
    final Waits waits;
    final OwnListener listener;
    final EndedJobs endings;

    /**
     * @param unpooled opens the connection to listen by, where no node does; null: nobody listens there
     * @param nodeListens whether a node of this process runs that listens
     */
    public StoredJobResults(
            Database database,
            PayloadCodec codec,
            WakeupBus wakeups,
            @Nullable DataSource unpooled,
            BooleanSupplier nodeListens) {
        this(database, codec, wakeups, unpooled, nodeListens, SHORTEST);
    }

    StoredJobResults(
            Database database,
            PayloadCodec codec,
            WakeupBus wakeups,
            @Nullable DataSource unpooled,
            BooleanSupplier nodeListens,
            Duration shortest) {
        this.database = database;
        this.codec = codec;
        this.find = new FindEndedJobs(database);
        this.progress = new ReadProgress(database);
        this.waits =
                new Waits(new FindEnded(find, new FindEndedWorkflows(database))::run, shortest, wakeups::jobsAwaited);
        this.listener = new OwnListener(unpooled, database.schema(), wakeups, nodeListens);
        this.endings = new EndedJobs(waits, wakeups, listener);
        wakeups.subscribe(endings);
    }

    /** Is to hear of all outcomes of this process's node. */
    public RecordedOutcomes observer() {
        return endings;
    }

    CompletableFuture<Ended> await(long id) {
        return id > 0
                ? waited(id)
                : CompletableFuture.completedFuture(new Ended(id, null, null, null)); // no job has such an id
    }

    private CompletableFuture<Ended> waited(long id) {
        listener.open();
        return waits.await(id);
    }

    /** Completes when the workflow has ended or is nowhere. Whoever does not wait any more {@linkplain #leaveWorkflow leaves}. */
    public CompletableFuture<?> awaitWorkflow(long id) {
        return waited(-id);
    }

    public void leaveWorkflow(long id, CompletableFuture<?> end) {
        waits.leave(-id, end);
    }

    @Override
    public JobHandle handle(long id) {
        return new StoredJobHandle(this, id);
    }

    /** Whoever waits is told that nobody asks any more. */
    @Override
    public void close() {
        waits.close();
        listener.close();
    }
}
