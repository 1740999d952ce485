package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.record.Observers.RecordedOutcomes;
import dev.rowlock.queue.internal.result.AwaitedJobStatements.Ended;
import dev.rowlock.queue.internal.result.AwaitedJobStatements.Found;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.internal.workflow.ReadWorkflows;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.result.JobHandle;
import dev.rowlock.queue.result.JobResults;
import dev.rowlock.queue.spi.PayloadCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/** Waits for results of jobs in the tables. */
public final class StoredJobResults implements JobResults, AutoCloseable {

    /** A job that has just begun may end at once. */
    private static final Duration SHORTEST = Duration.ofMillis(20);

    final Database database;
    final PayloadCodec codec;
    final AwaitedJobStatements find;
    private final ReadWorkflows workflows;
    final Waits waits;

    /** @param wakeups tells of ends of workflows that this process has seen */
    public StoredJobResults(Database database, PayloadCodec codec, WakeupBus wakeups) {
        this(database, codec, wakeups, SHORTEST);
    }

    StoredJobResults(Database database, PayloadCodec codec, WakeupBus wakeups, Duration shortest) {
        this.database = database;
        this.codec = codec;
        this.find = new AwaitedJobStatements(database);
        this.workflows = new ReadWorkflows(database);
        this.waits = new Waits(this::ended, shortest);
        wakeups.whenWorkflowEnds(id -> waits.ended(-id));
    }

    /** Finds which jobs have ended, and how; negative ids are workflows, which share the sequence of jobs. */
    private Found ended(long[] ids) {
        long[] ofJobs = LongStream.of(ids).filter(id -> id > 0).toArray();
        Found found = ofJobs.length == 0 ? new Found(List.of(), true) : find.run(ofJobs);
        List<Ended> ended = new ArrayList<>(found.ended());
        if (ofJobs.length < ids.length) {
            long[] ofWorkflows =
                    LongStream.of(ids).filter(id -> id <= 0).map(id -> -id).toArray();
            workflows.ended(ofWorkflows).forEach(each -> ended.add(new Ended(-each.id(), each.state(), null, null)));
        }
        return new Found(ended, found.all());
    }

    /** Is to hear of all outcomes of this process's node. */
    public RecordedOutcomes observer() {
        return (job, outcome) -> {
            if (!(outcome instanceof Outcome.Deferred || outcome instanceof Outcome.Released)) {
                waits.ended(job.id());
            }
        };
    }

    CompletableFuture<Ended> await(long id) {
        return id > 0
                ? waits.await(id)
                : CompletableFuture.completedFuture(new Ended(id, null, null, null)); // no job has such an id
    }

    /** Completes when the workflow has ended or does not exist. A caller that stops waiting must {@linkplain #leaveWorkflow leave}. */
    public CompletableFuture<?> awaitWorkflow(long id) {
        return waits.await(-id);
    }

    public void leaveWorkflow(long id, CompletableFuture<?> end) {
        waits.leave(-id, end);
    }

    @Override
    public JobHandle handle(long id) {
        return new StoredJobHandle(this, id);
    }

    /** Ends all waits exceptionally. */
    @Override
    public void close() {
        waits.close();
    }
}
