package dev.rowlock.queue.internal.wake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Proxies;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

@PostgresTest
class WakeupBusTest {

    @Test
    void anotherNodeHearsAndTheSenderIsToldDirectlyAndOnlyOnce(TestDatabase database) throws InterruptedException {
        Database rowlock = new Database(database.dataSource(), new Schema("rowlock"));
        try (Notifier notifier = new Notifier(new SendWakeup(rowlock));
                Notifier otherNotifier = new Notifier(new SendWakeup(rowlock))) {
            WakeupBus sender = new WakeupBus(notifier);
            WakeupBus receiver = new WakeupBus(otherNotifier);
            RecordedWakeups own = new RecordedWakeups();
            RecordedWakeups other = new RecordedWakeups();
            sender.subscribe(own);
            receiver.subscribe(other);
            Semaphore connected = new Semaphore(0);
            try (NotificationListener ownEar = new NotificationListener(
                            database.unpooled(), rowlock.schema(), sender.heardBy(own), connected::release);
                    NotificationListener otherEar = new NotificationListener(
                            database.unpooled(), rowlock.schema(), receiver.heardBy(other), connected::release)) {
                ownEar.start();
                otherEar.start();
                connected.acquire(2);

                sender.jobsReady("mail", -3, 7);
                String first = other.next();
                sender.attention();
                String second = other.next();
                sender.jobsReady("mail", 0, 1);
                other.next();
                sender.jobsBack("mail", 2, 5);
                String third = other.next();
                String fourth = other.next();

                assertThat(third).isEqualTo("some back in mail");
                assertThat(fourth).isEqualTo("5 ready in mail from rank 2");
                assertThat(first).isEqualTo("7 ready in mail from rank -3");
                assertThat(second).isEqualTo("attention");
                assertThat(own.heard())
                        .containsExactly(
                                "7 ready in mail from rank -3",
                                "attention",
                                "1 ready in mail from rank 0",
                                "5 back in mail from rank 2");
                assertThat(other.firsts()).hasSize(3).doesNotHaveDuplicates();
                assertThat(own.firsts()).isEmpty();
            }
        }
    }

    @Test
    void aConnectionThatTheNotificationListenerLeavesIsNotReused(TestDatabase database) throws InterruptedException {
        Schema schema = new Schema("rowlock");
        JdbcClient sql = JdbcClient.create(database.unpooled());
        Connections pool = new Connections(database.dataSource());
        BlockingQueue<Integer> backends = new LinkedBlockingQueue<>();
        Consumer<String> failing = message -> {
            backends.add(pool.backend());
            throw new IllegalStateException("as nothing here should");
        };
        Semaphore connected = new Semaphore(0);
        try (NotificationListener notifications = new NotificationListener(pool, schema, failing, connected::release)) {
            notifications.start();
            connected.acquire();
            new SendWakeup(new Database(database.unpooled(), schema)).run(List.of("o|a|"));
            int left = backends.take();

            Awaitility.await()
                    .until(() -> sql.sql("SELECT count(*) FROM pg_stat_activity WHERE pid = ?")
                                    .param(left)
                                    .query(Integer.class)
                                    .single()
                            == 0);
        }
    }

    @Test
    void aConnectionThatAPoolerMayGiveToOthersKeepsItsSettings(TestDatabase database) throws InterruptedException {
        assertThat(ownSettings(database, new Connections(database.unpooled()))).containsExactly("idle_session_timeout");
        assertThat(ownSettings(database, new Pooler(database.unpooled()))).isEmpty();
    }

    /** What a notification listener sets for its session. */
    private static List<String> ownSettings(TestDatabase database, Connections direct) throws InterruptedException {
        Schema schema = new Schema("rowlock");
        BlockingQueue<List<String>> settings = new LinkedBlockingQueue<>();
        Semaphore connected = new Semaphore(0);
        try (NotificationListener notifications = new NotificationListener(
                direct,
                schema,
                message -> settings.add(JdbcClient.create(new SingleConnectionDataSource(direct.last(), true))
                        .sql("SELECT name FROM pg_settings WHERE source = 'session' AND name LIKE 'idle_session%'")
                        .query(String.class)
                        .list()),
                connected::release)) {
            notifications.start();
            connected.acquire();
            new SendWakeup(new Database(database.dataSource(), schema)).run(List.of("o|a|"));
            return settings.take();
        }
    }

    @Test
    void aMessageThatIsNotOursIsIgnored() {
        RecordedWakeups heard = new RecordedWakeups();
        for (String message : new String[] {
            "",
            "x",
            "o|",
            "a|b|c|d",
            "o|r|0|1|mail",
            "o|r|0|one|5|mail",
            "o|w|soon",
            "o|d|1|later",
            "o|d|7",
            "own|d|x|7",
            "o|z|1|mail",
            "own|r|0|1|5|mail"
        }) {
            WakeupMessage.deliver(message, "own", heard);
        }

        WakeupMessage.deliver("o|w|250", "own", heard);
        WakeupMessage.deliver("o|w|9999999999999999", "own", heard);
        WakeupMessage.deliver("o|r|-2|4|5|a|strange|name", "own", heard);
        WakeupMessage.deliver(WakeupMessage.moved("o", 1, Duration.ofMillis(7)), "own", heard);
        WakeupMessage.deliver(WakeupMessage.moved("o", 2, null), "own", heard);

        assertThat(heard.heard())
                .containsExactly(
                        "waiting PT0.25S",
                        "waiting PT24H",
                        "4 ready in a|strange|name from rank -2",
                        "moved, next in PT0.007S",
                        "moved, next in null");
    }

    @Test
    void aProcessHearsOfItsOwnMessagesOnlyWhichLooksAllHaveHeardOf() {
        RecordedWakeups heard = new RecordedWakeups();

        WakeupMessage.deliver(WakeupMessage.waiting("own", Duration.ofMillis(7)), "own", heard);
        WakeupMessage.deliver(WakeupMessage.moved("own", 2, Duration.ofMillis(7)), "own", heard);
        WakeupMessage.deliver(WakeupMessage.moved("own", 5, null), "own", heard);

        assertThat(heard.heard()).isEmpty();
        assertThat(heard.looks()).containsExactly(2L, 5L);
    }

    /** Remembers the last connection that it gave. */
    private static class Connections extends DelegatingDataSource {

        private volatile @Nullable Connection last;

        Connections(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            last = connection;
            return connection;
        }

        final Connection last() {
            return Objects.requireNonNull(last);
        }

        final int backend() {
            try {
                return last().unwrap(PGConnection.class).getBackendPID();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Makes connections whose server process is not the one that they were told of, as poolers do. */
    private static final class Pooler extends Connections {

        Pooler(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            PGConnection real = connection.unwrap(PGConnection.class);
            PGConnection pooled = with(PGConnection.class, real, "getBackendPID", real.getBackendPID() + 1);
            return with(Connection.class, connection, "unwrap", pooled);
        }

        private static <T> T with(Class<T> type, T target, String method, Object answer) {
            return Proxies.of(
                    type,
                    (proxy, called, arguments) ->
                            method.equals(called.getName()) ? answer : Proxies.call(target, called, arguments));
        }
    }
}
