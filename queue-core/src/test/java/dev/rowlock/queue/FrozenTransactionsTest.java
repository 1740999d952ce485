package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A node stands still, or its network does, in the middle of one of Rowlock's own transactions. */
@PostgresTest(freshPerTest = true, migrated = true)
class FrozenTransactionsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    record Greeting(String to) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final AtomicInteger ran = new AtomicInteger();
    private final CountDownLatch frozen = new CountDownLatch(1);
    private final CountDownLatch thaw = new CountDownLatch(1);
    private final TestDatabase database;

    FrozenTransactionsTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        thaw.countDown();
        FreezingSockets.thaw();
        rowlocks.close();
    }

    @Test
    void theServerEndsAClaimWhoseNodeStandsStillForTenSeconds() throws Exception {
        Rooms rooms = Rooms.in(database);
        rowlocks.built(Rowlocks.quick(database.dataSource()))
                .limits()
                .set(QueueLimit.of("default").maxRunning(50));
        rooms.ready(List.of(Rooms.job("default", 0)));
        List<String> limits = new ArrayList<>();

        claim(rooms.node("node"), claiming -> limits.add(idleLimit(claiming)));

        assertThat(limits).containsExactly("10s");
    }

    @LongRunning
    @Test
    void aNodeThatFreezesInAClaimStopsTheQueueForSecondsOnly() throws Exception {
        Rooms rooms = Rooms.in(database);
        Rowlock living = rowlocks.built(Rowlocks.quick(database.dataSource())
                .listener(Greeting.class, (greeting, job) -> ran.incrementAndGet()));
        living.limits().set(QueueLimit.of("default").maxRunning(50));
        enqueue(living, 10);
        freezeInAClaim(rooms.node("frozen"));
        assertThat(frozen.await(1, TimeUnit.MINUTES)).isTrue();

        living.start();
        enqueue(living, 20);

        await().atMost(LONG).until(() -> ran.get() == 30);
    }

    /** The server sends what a claim brings before it commits: if nobody reads it, the claim keeps its locks. */
    @LongRunning
    @ParameterizedTest(name = "limited: {0}")
    @ValueSource(booleans = {true, false})
    void jobsOfANodeThatFreezesWhileItsClaimIsAnsweredRunElsewhere(boolean limited) throws Exception {
        Rooms rooms = Rooms.in(database);
        Rowlock living = rowlocks.built(Rowlocks.quick(database.dataSource())
                .listener(Greeting.class, (greeting, job) -> ran.incrementAndGet()));
        if (limited) {
            living.limits().set(QueueLimit.of("default").maxRunning(200));
        }
        Runnable claim = claim(rooms.node("frozen"), limited, freezing());
        claim.run();
        String large = Rooms.letters(60_000);
        living.jobs().enqueueEach(Collections.nCopies(200, JobRequest.of(new Greeting(large))));

        FreezingSockets.freeze();
        inBackground(claim);
        awaitThatTheServerCannotSend();
        living.start();
        enqueue(living, 20);

        await().atMost(LONG).until(() -> ran.get() == 220);
    }

    private Database freezing() throws SQLException {
        Properties properties = new Properties();
        properties.put("user", database.username());
        properties.put("password", database.password());
        properties.put("socketFactory", FreezingSockets.class.getName());
        Connection connection = DriverManager.getConnection(database.jdbcUrl(), properties);
        return new Database(new SingleConnectionDataSource(connection, true), new Schema("rowlock"));
    }

    private static Runnable claim(long node, boolean limited, Database through) {
        ClaimKeyedJobs keyed = new ClaimKeyedJobs(through, Duration.ofSeconds(2));
        ClaimReadyJobs plain = new ClaimReadyJobs(through);
        return limited
                ? () -> keyed.run("default", Look.FIRST, 200, 65_536, Which.ALL, node, null)
                : () -> plain.run("default", QueueRange.ALL, 200, node, null);
    }

    private void awaitThatTheServerCannotSend() {
        JdbcTemplate look = new JdbcTemplate(database.dataSource());
        await().atMost(LONG)
                .until(() -> Boolean.TRUE.equals(look.queryForObject(
                        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'ClientWrite')",
                        Boolean.class)));
    }

    /** Between two jobs of such a stream, Rowlock's transaction waits for the application. */
    @Test
    void aStreamOfJobsMayTakeItsTime() {
        List<Connection> opened = new ArrayList<>();
        Rowlock rowlock = rowlocks.built(Rowlock.builder(new DelegatingDataSource(database.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                opened.add(connection);
                return connection;
            }
        }));
        List<String> limits = new ArrayList<>();
        Stream<JobRequest> slow = IntStream.range(0, 1_500).mapToObj(number -> {
            if (number == 1_200) {
                limits.add(idleLimit(opened.get(opened.size() - 1)));
            }
            return JobRequest.of(new Greeting("number " + number));
        });

        assertThat(rowlock.jobs().enqueueAll(slow, id -> {})).isEqualTo(1_500);

        assertThat(limits).containsExactly("0");
    }

    private static String idleLimit(Connection connection) {
        return new JdbcTemplate(new SingleConnectionDataSource(connection, true))
                .queryForObject("SHOW idle_in_transaction_session_timeout", String.class);
    }

    private static void enqueue(Rowlock rowlock, int jobs) {
        rowlock.jobs()
                .enqueueEach(IntStream.range(0, jobs)
                        .mapToObj(number -> JobRequest.of(new Greeting("all"), o -> o.key("key-" + number % 3)))
                        .toList());
    }

    private void freezeInAClaim(long node) {
        inBackground(() -> claim(node, connection -> {
            frozen.countDown();
            thaw.await();
        }));
    }

    private static void inBackground(Runnable claim) {
        Thread claiming = new Thread(() -> {
            try {
                claim.run();
            } catch (DataAccessException e) {
                // It has lost its connection.
            }
        });
        claiming.setDaemon(true);
        claiming.start();
    }

    private interface BeforeCommit {

        void run(Connection claiming) throws Exception;
    }

    private void claim(long node, BeforeCommit beforeCommit) {
        new ClaimKeyedJobs(new Database(pool(beforeCommit), new Schema("rowlock")), Duration.ofSeconds(2))
                .run("default", Look.FIRST, 5, 1000, Which.ALL, node, null);
    }

    /** A pool without auto-commit, so that a claim is a transaction of several statements. */
    private DataSource pool(BeforeCommit beforeCommit) {
        return new DelegatingDataSource(database.unpooled()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection real = super.getConnection();
                real.setAutoCommit(false);
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                            if (method.getName().equals("commit") && hasClaimed(real)) {
                                beforeCommit.run(real);
                            }
                            try {
                                return method.invoke(real, args);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            }
        };
    }

    private static boolean hasClaimed(Connection connection) {
        return Boolean.TRUE.equals(new JdbcTemplate(new SingleConnectionDataSource(connection, true))
                .queryForObject("SELECT EXISTS (SELECT FROM rowlock.running)", Boolean.class));
    }
}
