package dev.rowlock.queue.benchmark.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.JacksonPayloadCodec;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.benchmark.Target;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.internal.node.NodeServices;
import dev.rowlock.queue.internal.node.NodeSettings;
import dev.rowlock.queue.internal.node.WorkerNode;
import dev.rowlock.queue.internal.run.Extensions;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.SendWakeup;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.FetchSettings;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.LeaseSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.RetentionSettings;
import dev.rowlock.queue.spi.WorkerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One node with one listener for each queue, which decodes its payload as annotated listeners do. */
final class RowlockNode implements AutoCloseable {

    /** As by default. */
    private static final int WORKERS = 10;

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

    void start(RetentionSettings retention, Crew crew, Probe probe) {
        NodeSettings settings = new NodeSettings(
                new WorkerSettings(
                        crew.workersOr(WORKERS), Map.of(), FetchSettings.DEFAULT, Duration.ofSeconds(25), false),
                LeaseSettings.defaults("benchmark"),
                retention,
                RetryPolicy.DEFAULT,
                1 << 20,
                true);
        NodeServices services =
                new NodeServices(database(pool), target.unpooled(), codec, Extensions.NONE, wakeups, null);
        JobHandler handler = (context, payload) -> {
            Noop noop = (Noop) codec.decode(payload, Noop.class);
            probe.ran(noop.seq());
            return null;
        };
        List<ListenerDefinition> listeners = new ArrayList<>();
        for (int i = 1; i <= crew.queues(); i++) {
            String suffix = i == 1 ? "" : "-" + i; // the first is the one that gets jobs
            listeners.add(listener(JobTemplate.DEFAULT_QUEUE + suffix, "noop" + suffix, handler));
        }
        node = new WorkerNode(settings, services);
        node.start(listeners);
    }

    private static ListenerDefinition listener(String queue, String type, JobHandler handler) {
        return ListenerDefinition.of(type, handler).queue(queue);
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
