package dev.rowlock.queue.internal.wake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@PostgresTest
class NotifierTest {

    private final Schema schema = new Schema("rowlock");
    private final RecordedWakeups elsewhere = new RecordedWakeups();
    private final TestDatabase testDatabase;
    private final NotificationListener notifications;
    private final CountDownLatch connected = new CountDownLatch(1);

    NotifierTest(TestDatabase database) {
        testDatabase = database;
        notifications = new NotificationListener(
                database.unpooled(), schema, new WakeupBus(Wakeups.NONE).heardBy(elsewhere), connected::countDown);
    }

    @BeforeEach
    void listen() throws InterruptedException {
        notifications.start();
        connected.await();
    }

    @AfterEach
    void stopListening() {
        notifications.close();
    }

    @Test
    void aServerThatEndsIdleSessionsLeavesTheListeningOneAlone() throws Exception {
        PGSimpleDataSource impatient = new PGSimpleDataSource();
        impatient.setUrl(testDatabase.jdbcUrl());
        impatient.setUser(testDatabase.username());
        impatient.setPassword(testDatabase.password());
        impatient.setOptions("-c idle_session_timeout=200");
        AtomicInteger connects = new AtomicInteger();
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch heard = new CountDownLatch(1);

        try (NotificationListener listener =
                new NotificationListener(impatient, schema, message -> heard.countDown(), () -> {
                    connects.incrementAndGet();
                    first.countDown();
                })) {
            listener.start();
            assertThat(first.await(1, TimeUnit.MINUTES)).isTrue();
            try (Connection another = impatient.getConnection()) {
                awaitEndedByServer(another);
            }
            JdbcClient.create(testDatabase.unpooled())
                    .sql("SELECT pg_notify(?, 'ready')")
                    .param(schema.channel())
                    .query(String.class)
                    .optional();

            assertThat(heard.await(1, TimeUnit.MINUTES)).isTrue();
        }

        assertThat(connects).hasValue(1);
    }

    private void awaitEndedByServer(Connection idle) throws SQLException {
        int session = idle.unwrap(PGConnection.class).getBackendPID();
        JdbcClient sql = JdbcClient.create(testDatabase.unpooled());
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> sql.sql("SELECT count(*) FROM pg_stat_activity WHERE pid = ?")
                                .param(session)
                                .query(Integer.class)
                                .single()
                        == 0);
    }

    @Test
    void notificationsThatGatherDuringASendGoOutTogetherAndTheMostUrgentCounts() throws InterruptedException {
        Semaphore mayConnect = new Semaphore(0);
        Semaphore connecting = new Semaphore(0);
        try (Notifier notifier = notifier(() -> {
            connecting.release();
            mayConnect.acquireUninterruptibly();
        })) {
            notifier.attention();
            connecting.acquire();
            notifier.jobsReady("mail", 0, 1);
            notifier.jobsBack("mail", -3, 2);
            notifier.jobsReady("mail", 4, 1);
            notifier.jobsWaiting(Duration.ofSeconds(5));
            notifier.jobsWaiting(Duration.ofSeconds(1));
            notifier.jobsWaiting(Duration.ofSeconds(9));
            notifier.dueJobsMoved(null, 4);
            notifier.dueJobsMoved(Duration.ofSeconds(7), 5);

            mayConnect.release(2);

            assertThat(elsewhere.next()).isEqualTo("attention");
            assertThat(elsewhere.next()).isEqualTo("moved, next in PT7S");
            assertThat(elsewhere.next()).isEqualTo("waiting PT1S");
            assertThat(elsewhere.next()).isEqualTo("some back in mail");
            assertThat(elsewhere.next()).isEqualTo("4 ready in mail from rank -3");
        }
    }

    @Test
    void aCloseSendsTheRemainingNotificationsAndNothingAfterwards() throws InterruptedException {
        Semaphore mayConnect = new Semaphore(0);
        Semaphore connecting = new Semaphore(0);
        Notifier notifier = notifier(() -> {
            connecting.release();
            mayConnect.acquireUninterruptibly();
        });
        notifier.attention();
        connecting.acquire();
        notifier.jobsReady("mail", 0, 1);

        Thread closing = new Thread(notifier::close);
        closing.start();
        mayConnect.release(3);
        closing.join();
        notifier.jobsReady("late", 0, 1);
        assertThat(notifier.sendAlong("late", 0)).isNull();

        assertThat(elsewhere.next()).isEqualTo("attention");
        assertThat(elsewhere.next()).isEqualTo("1 ready in mail from rank 0");
        assertThat(connecting.drainPermits()).as("connections after the first").isEqualTo(1);
    }

    @Test
    void readyJobsAndChangesThatCouldNotBeToldAreToldAgain() throws InterruptedException {
        AtomicInteger connections = new AtomicInteger();
        CountDownLatch gathered = new CountDownLatch(1);
        try (Notifier notifier = notifier(() -> {
            if (connections.incrementAndGet() <= 2) {
                awaited(gathered);
                throw new SQLException("away");
            }
        })) {
            notifier.attention();
            notifier.keysReady("ordered", "a");
            notifier.jobsReady("mail", 0, 1);
            gathered.countDown();

            assertThat(elsewhere.next()).isEqualTo("attention");
            assertThat(elsewhere.next()).isEqualTo("key a in ordered");
            assertThat(elsewhere.next()).isEqualTo("1 ready in mail from rank 0");
            assertThat(connections).hasValue(3);
        }
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anInterruptThatThePoolLeavesBehindEndsNothing() throws InterruptedException {
        try (Notifier notifier = notifier(() -> Thread.currentThread().interrupt())) {
            notifier.jobsReady("first", 0, 1);
            assertThat(elsewhere.next()).isEqualTo("1 ready in first from rank 0");

            notifier.jobsReady("second", 0, 1);

            assertThat(elsewhere.next()).isEqualTo("1 ready in second from rank 0");
        }
    }

    private interface BeforeConnection {
        void run() throws SQLException;
    }

    private Notifier notifier(BeforeConnection before) {
        return new Notifier(new SendWakeup(new Database(
                new DelegatingDataSource(testDatabase.unpooled()) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        before.run();
                        return super.getConnection();
                    }
                },
                schema)));
    }
}
