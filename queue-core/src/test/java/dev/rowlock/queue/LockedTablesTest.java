package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What becomes of the server's connections while somebody keeps all tables locked, as an ALTER TABLE does that waits behind a reader. */
@LongRunning
@PostgresTest(migrated = true, freshPerTest = true)
class LockedTablesTest {

    private static final String DEADLOCK = "40P01";
    private static final int POOL = 16;

    /** Beside the pool, for the lease and for listening. */
    private static final int DIRECT = 2;

    private final TestDatabase database;
    private final JdbcClient elsewhere;
    private final Rowlocks rowlocks = new Rowlocks();
    private final Map<Integer, AtomicInteger> runs = new ConcurrentHashMap<>();
    private volatile boolean locked = true;

    LockedTablesTest(TestDatabase database) {
        this.database = database;
        this.elsewhere = JdbcClient.create(database.unpooled());
    }

    @AfterEach
    void close() throws Exception {
        locked = false;
        rowlocks.close();
    }

    record Mail(int number) {}

    @Test
    void neverMoreServerConnectionsThanPoolAndNodeHaveHoweverLongTheLockLasts() throws Exception {
        Rowlock rowlock = rowlocks.started(Rowlock.builder(rowlocks.opened(pool()))
                .unpooled(database.unpooled())
                .keepAlive(false)
                .lease(new LeaseSettings("test", Duration.ofSeconds(3), Duration.ofMillis(500), 3))
                .limit(QueueLimit.of("limited").maxRunningPerKey(1))
                .recurring(RecurringJob.of("each-second", Schedule.every(Duration.ofSeconds(1)), new Mail(-1)))
                .listener(
                        Mail.class,
                        (mail, job) -> runs.computeIfAbsent(mail.number(), number -> new AtomicInteger())
                                .incrementAndGet()));
        long first = rowlock.jobs().enqueue(new Mail(0));
        Awaitility.await().until(() -> runs.containsKey(0));
        Set<String> triedInVain = ConcurrentHashMap.newKeySet();
        List<Caller> callers = callers(rowlock, first);

        try (Connection locker = database.unpooled().getConnection()) {
            locker.setAutoCommit(false);
            lockAllTables(locker);
            List<Thread> threads =
                    callers.stream().map(caller -> thread(caller, triedInVain)).toList();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(3))
                    .pollInterval(Duration.ofMillis(500))
                    .until(() -> {
                        // One that was closed takes a moment to leave the server, and another one comes in its place.
                        Awaitility.await("as many connections as there may be")
                                .until(() -> connections(locker) <= POOL + DIRECT);
                        return triedInVain.size() == callers.size();
                    });
            locked = false;
            locker.rollback();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        long last = rowlock.jobs().enqueue(new Mail(1));

        rowlock.results().await(last, Duration.ofMinutes(1));
        assertThat(runs.get(0)).hasValue(1);
        assertThat(runs.get(1)).hasValue(1);
    }

    /** One that uses a statement of Rowlock's outside a transaction, and waits for an answer. */
    private record Caller(String what, Runnable call) {}

    private static List<Caller> callers(Rowlock rowlock, long job) {
        JobTemplate jobs = rowlock.jobs();
        return List.of(
                new Caller("enqueue", () -> jobs.enqueue(new Mail(2))),
                new Caller("delayed", () -> jobs.enqueue(new Mail(2), o -> o.delay(Duration.ofHours(1)))),
                new Caller(
                        "keyed",
                        () -> jobs.enqueue(new Mail(2), o -> o.queue("limited").key("a"))),
                new Caller("unique", () -> jobs.enqueueUnique(new Mail(2), UniqueKey.of("a"))),
                new Caller("many", () -> jobs.enqueueAll(List.of(new Mail(2), new Mail(3)), JobOptions.NONE)),
                new Caller("cancel", () -> rowlock.admin().cancel(job)),
                new Caller("find", () -> rowlock.search().find(job)),
                new Caller(
                        "workflow",
                        () -> rowlock.workflows().start(Workflow.named("two").step("one", new Mail(2)))));
    }

    private Thread thread(Caller caller, Set<String> triedInVain) {
        Thread thread = new Thread(
                () -> {
                    while (locked) {
                        try {
                            caller.call().run();
                        } catch (DataAccessException e) {
                            triedInVain.add(caller.what());
                        }
                    }
                },
                caller.what());
        thread.start();
        return thread;
    }

    private void lockAllTables(Connection locker) {
        List<String> tables = new ArrayList<>(elsewhere
                .sql(
                        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'rowlock' ORDER BY tablename")
                .query(String.class)
                .list());
        // The node has some of them at any time, in an order of its own.
        Awaitility.await().until(() -> locked(locker, tables));
    }

    private static boolean locked(Connection locker, List<String> tables) throws SQLException {
        try (Statement statement = locker.createStatement()) {
            statement.execute("LOCK TABLE " + String.join(", ", tables));
            return true;
        } catch (SQLException e) {
            locker.rollback();
            if (DEADLOCK.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    /** Without this test's own. */
    private long connections(Connection locker) throws SQLException {
        try (Statement statement = locker.createStatement();
                var row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return elsewhere
                    .sql(
                            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid NOT IN (pg_backend_pid(), ?)")
                    .param(row.getInt(1))
                    .query(Long.class)
                    .single();
        }
    }

    private HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMaximumPoolSize(POOL);
        config.setConnectionTimeout(Duration.ofMinutes(2).toMillis());
        return new HikariDataSource(config);
    }
}
