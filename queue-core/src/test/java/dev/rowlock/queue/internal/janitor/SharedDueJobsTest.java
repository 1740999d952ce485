package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.wake.NotificationListener;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.RemoteWakeups;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Two nodes that tell each other, by real notifications, what they have moved. */
@PostgresTest(migrated = true)
class SharedDueJobsTest {

    private static final Due NOW = Due.after(Duration.ZERO);

    private final TestDatabase database;
    private final Rooms rooms;
    private final Node first;
    private final Node second;
    private final Notifier application;

    SharedDueJobsTest(TestDatabase database) {
        this.database = database;
        this.rooms = Rooms.emptyIn(database);
        this.first = new Node(0);
        this.second = new Node(1);
        this.application = new Notifier(new SendWakeup(rooms.database()));
    }

    @BeforeEach
    void listen() throws InterruptedException {
        first.listen();
        second.listen();
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
        application.close();
    }

    @Test
    void aJobThatIsCommittedAfterTheOthersHaveLookedIsMovedWhateverTheySay() throws InterruptedException {
        rooms.waiting(NOW);
        first.dispatcher.runOnce();
        rooms.waiting(NOW);
        second.dispatcher.runOnce();
        assertThat(rooms.count("ready")).isEqualTo(2);

        long late = rooms.waiting(NOW);
        application.jobsWaiting(Duration.ZERO);
        first.awaitHeard("waiting");
        second.awaitHeard("waiting");
        first.mayTell.release(100); // that it has moved all that was due
        second.mayTell.release(100);
        first.awaitHeard("moved", "its own");
        second.awaitHeard("moved", "its own");

        Awaitility.await().untilAsserted(() -> {
            first.dispatcher.runOnce();
            second.dispatcher.runOnce();
            assertThat(rooms.roomsOf(late)).containsExactly("ready");
        });
    }

    @Test
    void aNodeNeedNotLookForAJobThatAnotherHasMovedAndThatBothHadHeardOf() throws InterruptedException {
        first.dispatcher.runOnce();
        second.dispatcher.runOnce();
        rooms.waiting(NOW);
        application.jobsWaiting(Duration.ZERO);
        first.awaitHeard("waiting");
        second.awaitHeard("waiting");

        first.mayTell.release(100);
        first.dispatcher.runOnce();
        second.awaitHeard("moved");

        assertThat(rooms.count("ready")).isEqualTo(1);
        rooms.waiting(NOW); // only a sign whether it looks
        second.dispatcher.runOnce();
        assertThat(rooms.count("waiting")).isEqualTo(1);
    }

    /** What a node has of all this. */
    private final class Node implements RemoteWakeups, AutoCloseable {

        private final Semaphore mayTell = new Semaphore(0);
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private final CountDownLatch connected = new CountDownLatch(1);
        private final Notifier notifier;
        private final Dispatcher dispatcher;
        private final NotificationListener notifications;

        Node(int number) {
            this.notifier = new Notifier(new SendWakeup(new Database(
                    new DelegatingDataSource(database.unpooled()) {
                        @Override
                        public Connection getConnection() throws SQLException {
                            mayTell.acquireUninterruptibly();
                            return super.getConnection();
                        }
                    },
                    new Schema("rowlock"))));
            WakeupBus bus = new WakeupBus(notifier);
            this.dispatcher = new Dispatcher(
                    new DispatchDueJobs(rooms.database()), bus, Duration.ofMinutes(10), () -> new Place(2, number));
            this.notifications = new NotificationListener(
                    database.unpooled(), new Schema("rowlock"), bus.heardBy(this), connected::countDown);
        }

        void listen() throws InterruptedException {
            notifications.start();
            connected.await();
        }

        /** In whichever order. */
        void awaitHeard(String... events) throws InterruptedException {
            List<@Nullable String> next = new ArrayList<>();
            while (next.size() < events.length) {
                next.add(heard.poll(20, TimeUnit.SECONDS));
            }
            assertThat(next).containsExactlyInAnyOrder(events);
        }

        @Override
        public void jobsWaiting(Duration dueIn) {
            dispatcher.waitingElsewhere(dueIn);
            heard.add("waiting");
        }

        @Override
        public void dueJobsMoved(@Nullable Duration nextDue) {
            dispatcher.movedElsewhere(nextDue);
            heard.add("moved");
        }

        @Override
        public void allHaveHeardOf(long look) {
            dispatcher.allHaveHeardOf(look);
            heard.add("its own");
        }

        @Override
        public void jobsReady(String queue, int rank, long jobs, int first) {}

        @Override
        public void jobsBack(String queue) {}

        @Override
        public void keysReady(String queue, @Nullable String key, int first) {}

        @Override
        public void attention() {}

        @Override
        public void close() {
            mayTell.release(100);
            notifier.close();
            notifications.close();
        }
    }
}
