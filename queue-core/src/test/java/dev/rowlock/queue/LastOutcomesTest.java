package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What becomes of outcomes that cannot be written at the first try while their node stops. */
@PostgresTest(migrated = true, freshPerTest = true)
class LastOutcomesTest {

    private static final int JOBS = 5;

    private final TestDatabase database;
    private final JdbcClient sql;
    private final Rowlocks rowlocks = new Rowlocks();
    private final LogLines log = new LogLines("dev.rowlock");
    private final AtomicInteger runs = new AtomicInteger();
    private final CountDownLatch running = new CountDownLatch(JOBS);
    private final CountDownLatch end = new CountDownLatch(1);

    LastOutcomesTest(TestDatabase database) {
        this.database = database;
        this.sql = JdbcClient.create(database.unpooled());
    }

    record Mail(int number) {}

    @AfterEach
    void close() throws Exception {
        end.countDown();
        rowlocks.close();
        log.close();
    }

    @Test
    void outcomesAreWrittenThoughAllConnectionsAreCutDuringTheStop() throws Exception {
        Rowlock rowlock = node(database.dataSource(), Duration.ofSeconds(20));
        run(rowlock);
        CompletableFuture<Void> stop = CompletableFuture.runAsync(rowlock::stop);
        awaitLine("jobs are running and have");

        cutConnections();
        end.countDown();
        stop.join();

        assertThat(states()).hasSize(JOBS).containsOnly("completed");
        assertThat(runs).hasValue(JOBS);
        assertThat(nodes()).isZero();
        assertThat(log.lines()).anyMatch(line -> line.contains("everything is written"));
    }

    /** As while a server fails over: for a moment there is no connection to be had. */
    @Test
    void outcomesAreWrittenThoughTheDatabaseIsAwayForAWhileDuringTheStop() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        CountDownLatch away = new CountDownLatch(1);
        DataSource pool = new DelegatingDataSource(database.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                if (away.getCount() == 0 && refused.incrementAndGet() < 20) {
                    throw new SQLException("the database system is starting up", "57P03");
                }
                return super.getConnection();
            }
        };
        Rowlock rowlock = node(pool, Duration.ofMinutes(1));
        run(rowlock);
        CompletableFuture<Void> stop = CompletableFuture.runAsync(rowlock::stop);
        awaitLine("jobs are running and have");

        away.countDown();
        end.countDown();
        stop.join();

        assertThat(refused).hasValueGreaterThanOrEqualTo(20);
        assertThat(states()).hasSize(JOBS).containsOnly("completed");
        assertThat(log.lines()).anyMatch(line -> line.contains("everything is written"));
    }

    @Test
    void theStopWaitsForARowThatSomebodyHasLockedForAWhile() throws Exception {
        Rowlock rowlock = node(database.dataSource(), Duration.ofMinutes(1));
        long[] ids = run(rowlock);
        CompletableFuture<Void> stop = CompletableFuture.runAsync(rowlock::stop);
        awaitLine("jobs are running and have");

        try (Connection other = lock(ids[0])) {
            end.countDown();
            awaitLine("another transaction has locked");
            Awaitility.await().until(() -> done() == JOBS - 1);
            assertThat(stop).isNotDone();
            other.rollback();
        }
        stop.join();

        assertThat(states()).hasSize(JOBS).containsOnly("completed");
        assertThat(nodes()).isZero();
        assertThat(log.lines()).anyMatch(line -> line.contains("everything is written"));
    }

    @Test
    void theStopSaysHowManyOutcomesItHasGivenUp() throws Exception {
        Rowlock rowlock = node(database.dataSource(), Duration.ZERO);
        long[] ids = run(rowlock);

        try (Connection other = lock(ids[0])) {
            end.countDown();
            Awaitility.await().until(() -> done() == JOBS - 1);
            rowlock.stop();

            assertThat(done()).isEqualTo(JOBS - 1);
            other.rollback();
        }

        assertThat(log.lines())
                .noneMatch(line -> line.contains("everything is written"))
                .anyMatch(line -> line.contains("1 outcome could not be written"));
        assertThat(nodes()).isZero();
    }

    private Rowlock node(DataSource pool, Duration drain) {
        return rowlocks.started(Rowlock.builder(pool)
                .unpooled(database.unpooled())
                .keepAlive(false)
                .lease(new LeaseSettings("test", Duration.ofSeconds(30), Duration.ofMillis(200), 3))
                .worker(WorkerSettings.DEFAULT.withConcurrency(JOBS).withDrainTimeout(drain))
                .listener(Mail.class, (mail, job) -> {
                    runs.incrementAndGet();
                    running.countDown();
                    end.await();
                }));
    }

    private long[] run(Rowlock rowlock) throws InterruptedException {
        long[] ids = rowlock.jobs()
                .enqueueAll(IntStream.range(0, JOBS).mapToObj(Mail::new).toList());
        running.await();
        return ids;
    }

    private void awaitLine(String part) {
        Predicate<String> has = line -> line.contains(part);
        Awaitility.await().until(() -> log.lines().stream().anyMatch(has));
    }

    private Connection lock(long id) throws SQLException {
        Connection other = database.unpooled().getConnection();
        other.setAutoCommit(false);
        other.createStatement().execute("SELECT FROM rowlock.running WHERE id = " + id + " FOR UPDATE");
        return other;
    }

    private void cutConnections() {
        sql.sql("""
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()
                """).query().listOfRows();
    }

    private List<String> states() {
        return sql.sql("SELECT state FROM rowlock.job").query(String.class).list();
    }

    private long done() {
        return count("done");
    }

    private long nodes() {
        return count("node");
    }

    private long count(String table) {
        return sql.sql("SELECT count(*) FROM rowlock." + table)
                .query(Long.class)
                .single();
    }
}
