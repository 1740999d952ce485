package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.wake.NotificationListener;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Wake-ups that travel with the enqueue statement. No other wake-up can be sent here. */
@PostgresTest(migrated = true)
class SendAlongTest {

    record Mail(String to) {}

    private final TestDatabase testDatabase;
    private final Rooms rooms;
    private final RecordedWakeups here = new RecordedWakeups();
    private final RecordedWakeups elsewhere = new RecordedWakeups();
    private final WakeupBus bus;
    private final JobTemplate jobs;

    SendAlongTest(TestDatabase database) {
        testDatabase = database;
        rooms = Rooms.emptyIn(database);
        bus = new WakeupBus(new Notifier(
                new SendWakeup(new Database(away(), rooms.database().schema()))));
        bus.subscribe(here);
        jobs = new JobTemplate(
                rooms.database(), new JacksonPayloadCodec(JsonMapper.builder().build()), 1_000, type -> null, bus);
    }

    @Test
    void aJobByItselfTakesItsNotificationAlong() throws InterruptedException {
        try (NotificationListener notifications = listen()) {
            long id = jobs.enqueue(new Mail("a"), o -> o.queue("mail").priority(3));

            Awaitility.await().until(() -> !elsewhere.heard().isEmpty());
            assertThat(elsewhere.heard()).containsExactly("1 ready in mail from rank -3");
            assertThat(here.heard()).containsExactly("1 ready in mail from rank -3");
            assertThat(rooms.roomsOf(id)).containsExactly("ready");
        }
    }

    @Test
    void aTransactionOfTheCallerTakesNoNotificationAlong() throws InterruptedException {
        TransactionTemplate transaction =
                new TransactionTemplate(new DataSourceTransactionManager(testDatabase.dataSource()));
        try (NotificationListener notifications = listen()) {
            transaction.executeWithoutResult(status -> jobs.enqueue(new Mail("a")));
            jobs.enqueue(new Mail("b"), o -> o.queue("last")); // this one does, and notifications keep their order

            Awaitility.await().until(() -> !elsewhere.heard().isEmpty());
            assertThat(elsewhere.heard()).containsExactly("1 ready in last from rank 0");
            assertThat(here.heard()).containsExactly("1 ready in default from rank 0", "1 ready in last from rank 0");
        }
    }

    @Test
    void theLongerWakeUpsTakeTheLongerTheNextOneWaits() {
        String first = bus.sendAlong("mail", 0);
        String meanwhile = bus.sendAlong("mail", 0);
        bus.sentAlong("mail", 0, Duration.ZERO);
        String afterQuick = bus.sendAlong("mail", 0);
        bus.sentAlong("mail", 0, Duration.ofMinutes(1));
        String afterOneSlow = bus.sendAlong("mail", 0);
        bus.sentAlong("mail", 0, Duration.ofMinutes(1));
        String afterTwoSlow = bus.sendAlong("mail", 0);

        assertThat(first).isNotNull();
        assertThat(meanwhile).isNull();
        assertThat(afterQuick).isNotNull().as("another node looks first").isNotEqualTo(first);
        assertThat(afterOneSlow).isNotNull();
        assertThat(afterTwoSlow).isNull();
    }

    private NotificationListener listen() throws InterruptedException {
        WakeupBus other = new WakeupBus(Wakeups.NONE);
        CountDownLatch connected = new CountDownLatch(1);
        NotificationListener notifications = new NotificationListener(
                testDatabase.unpooled(), rooms.database().schema(), other.heardBy(elsewhere), connected::countDown);
        notifications.start();
        connected.await();
        return notifications;
    }

    private static DataSource away() {
        return new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                throw new SQLException("away");
            }

            @Override
            public Connection getConnection(String user, String password) throws SQLException {
                return getConnection();
            }
        };
    }
}
