package dev.rowlock.queue.benchmark.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.JacksonPayloadCodec;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.benchmark.Target;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.SendWakeup;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.internal.worker.NodeServices;
import dev.rowlock.queue.internal.worker.NodeSettings;
import dev.rowlock.queue.internal.worker.WorkerNode;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.FetchSettings;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.LeaseSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.RetentionSettings;
import dev.rowlock.queue.spi.WorkerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One node with one listener, which decodes its payload as annotated listeners do. */
final class RowlockNode implements AutoCloseable {

    /** A fetcher, a recorder, and chores. */
    private static final int POOL = 4;

    private final Target target;
    private final HikariDataSource pool;
    private final WakeupBus wakeups;
    private final JacksonPayloadCodec codec;
    private final @Nullable Notifier ownNotifier;
    private @Nullable WorkerNode node;

    private RowlockNode(
            Target target,
            HikariDataSource pool,
            WakeupBus wakeups,
            JacksonPayloadCodec codec,
            @Nullable Notifier ownNotifier) {
        this.target = target;
        this.pool = pool;
        this.wakeups = wakeups;
        this.codec = codec;
        this.ownNotifier = ownNotifier;
    }

    /** A node of the application that enqueues. */
    static RowlockNode inside(Target target, HikariDataSource pool, WakeupBus wakeups, JacksonPayloadCodec codec) {
        return new RowlockNode(target, pool, wakeups, codec, null);
    }

    /** A node with a pool of its own, that hears of jobs from the database only. */
    static RowlockNode apart(Target target, JacksonPayloadCodec codec) {
        HikariDataSource pool = target.pool(POOL);
        Notifier notifier = new Notifier(new SendWakeup(database(pool)));
        return new RowlockNode(target, pool, new WakeupBus(notifier), codec, notifier);
    }

    void start(RetentionSettings retention, int workers, Probe probe) {
        NodeSettings settings = new NodeSettings(
                new WorkerSettings(workers, Map.of(), FetchSettings.DEFAULT, Duration.ofSeconds(25), false),
                LeaseSettings.defaults("benchmark"),
                retention,
                RetryPolicy.DEFAULT,
                1 << 20,
                true);
        NodeServices services =
                new NodeServices(database(pool), target.unpooled(), codec, new JobObserver() {}, wakeups, null);
        JobHandler handler = (context, payload) -> {
            Noop noop = (Noop) codec.decode(payload, Noop.class);
            probe.ran(noop.seq());
            return null;
        };
        ListenerDefinition listener = new ListenerDefinition(
                "Benchmark",
                JobTemplate.DEFAULT_QUEUE,
                "noop",
                null,
                null,
                RetryPolicy.DEFAULT,
                Set.of(),
                false,
                handler);
        node = new WorkerNode(settings, services);
        node.start(List.of(listener));
    }

    @Override
    public void close() {
        if (node != null) {
            node.stop();
        }
        if (ownNotifier != null) {
            ownNotifier.close();
            pool.close();
        }
    }

    private static Database database(HikariDataSource pool) {
        return new Database(pool, new Schema("rowlock"));
    }
}
