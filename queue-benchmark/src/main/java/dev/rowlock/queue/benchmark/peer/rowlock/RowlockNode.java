package dev.rowlock.queue.benchmark.peer.rowlock;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.benchmark.peer.Target;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.ListenerSource;
import java.time.Duration;
import java.util.function.Function;

/** A node with a pool of its own, that hears of jobs from the database only. */
final class RowlockNode implements AutoCloseable {

    /** A fetcher, a recorder, and chores. */
    static final int POOL = 4;

    private final HikariDataSource pool;
    private final Rowlock rowlock;

    RowlockNode(Target target, RetentionSettings retention, ListenerSource listeners) {
        this(target, retention, POOL, pool -> listeners);
    }

    /** @param listeners use connections of the pool, of which there are so many */
    RowlockNode(
            Target target,
            RetentionSettings retention,
            int connections,
            Function<HikariDataSource, ListenerSource> listeners) {
        this.pool = target.pool(connections);
        this.rowlock = builder(target, pool, retention, listeners.apply(pool)).build();
    }

    /** The same settings for all nodes. The tables are there. */
    static RowlockBuilder builder(
            Target target, HikariDataSource pool, RetentionSettings retention, ListenerSource listeners) {
        return Rowlock.builder(pool)
                .schemaElsewhere()
                .unpooled(target.unpooled())
                .worker(WorkerSettings.DEFAULT.withDrainTimeout(Duration.ofSeconds(25)))
                .lease(LeaseSettings.defaults("benchmark"))
                .retention(retention)
                .maxPayload(4 << 20)
                .keepAlive(false)
                .listeners(listeners);
    }

    void start() {
        rowlock.start();
    }

    @Override
    public void close() {
        rowlock.close();
        pool.close();
    }
}
