package dev.rowlock.queue.benchmark.peer.sql;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Sql;
import dev.rowlock.queue.benchmark.peer.Target;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** As many loops as workers, each on a connection of its own. */
final class SeedSession implements Session {

    private static final Logger LOG = LoggerFactory.getLogger(SeedSession.class);

    private static final int WORKERS = 16;
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final String TABLE = """
            CREATE TABLE IF NOT EXISTS job (
                id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                status     text NOT NULL DEFAULT 'ready',
                payload    jsonb NOT NULL,
                created_at timestamptz NOT NULL DEFAULT now(),
                started_at timestamptz,
                ended_at   timestamptz
            );
            CREATE INDEX IF NOT EXISTS job_ready ON job (id) WHERE status = 'ready';
            """;

    private static final String CLAIM = """
            UPDATE job SET status = 'running', started_at = now()
             WHERE id = (SELECT id FROM job WHERE status = 'ready' ORDER BY id LIMIT 1 FOR UPDATE%s)
            RETURNING id, payload
            """;

    private final Target target;
    private final String claim;
    private final HikariDataSource pool;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopping;

    SeedSession(Target target, boolean skipsLocked) {
        this.target = target;
        this.claim = CLAIM.formatted(skipsLocked ? " SKIP LOCKED" : "");
        this.pool = target.pool(10);
        Sql.execute(pool, TABLE);
    }

    @Override
    public void enqueue(Job job) {
        enqueueAll(List.of(job));
    }

    @Override
    public void enqueueAll(List<Job> jobs) {
        Sql.with(pool, connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("INSERT INTO job (payload) SELECT unnest(?::text[])::jsonb")) {
                statement.setObject(1, jobs.stream().map(Job::json).toArray(String[]::new));
                return statement.executeUpdate();
            }
        });
    }

    @Override
    public void startWorkers(Crew crew, Probe probe) {
        stopping = false;
        for (int i = 0; i < crew.workersOr(WORKERS); i++) {
            threads.add(new Thread(() -> run(probe), "seed-" + i));
        }
        threads.forEach(Thread::start);
    }

    private void run(Probe probe) {
        try {
            Sql.with(target.unpooled(), connection -> work(connection, probe));
        } catch (RuntimeException e) {
            LOG.error("a worker has stopped", e);
        }
    }

    private Void work(Connection connection, Probe probe) throws SQLException {
        try (PreparedStatement next = connection.prepareStatement(claim);
                PreparedStatement done =
                        connection.prepareStatement("UPDATE job SET status = 'done', ended_at = now() WHERE id = ?")) {
            while (!stopping) {
                long id = run(next, probe);
                if (id == 0) {
                    LockSupport.parkNanos(REST_NANOS);
                } else {
                    done.setLong(1, id);
                    done.executeUpdate();
                }
            }
            return null;
        }
    }

    private static long run(PreparedStatement next, Probe probe) throws SQLException {
        try (ResultSet row = next.executeQuery()) {
            if (!row.next()) {
                return 0;
            }
            probe.ran(Job.seq(row.getString(2)));
            return row.getLong(1);
        }
    }

    @Override
    public void stopWorkers() {
        stopping = true;
        for (Thread thread : threads) {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(10));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        threads.clear();
    }

    @Override
    public boolean drained() {
        return !Sql.exists(pool, "SELECT FROM job WHERE status <> 'done'");
    }

    @Override
    public void close() {
        stopWorkers();
        pool.close();
    }
}
