package dev.rowlock.queue.benchmark.peer.rowlock;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.benchmark.peer.Target;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import java.time.Duration;

/** A node with a pool of its own, that hears of jobs from the database only. */
final class RowlockNode implements AutoCloseable {

    /** A fetcher, a recorder, and chores. */
    private static final int POOL = 4;

    private final HikariDataSource pool;
    private final Rowlock rowlock;

    RowlockNode(Target target, RetentionSettings retention, CrewListeners listeners) {
        this.pool = target.pool(POOL);
        this.rowlock = builder(target, pool, retention, listeners).build();
    }

    /** The same settings for all nodes. The tables are there. */
    static RowlockBuilder builder(
            Target target, HikariDataSource pool, RetentionSettings retention, CrewListeners listeners) {
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
