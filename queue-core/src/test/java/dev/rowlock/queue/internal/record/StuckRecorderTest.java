package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.internal.claim.Admissions;
import dev.rowlock.queue.internal.claim.Kind;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.lease.BeatNode;
import dev.rowlock.queue.internal.lease.NodeLease;
import dev.rowlock.queue.internal.lease.NodeRow.Work;
import dev.rowlock.queue.internal.node.NodeParts;
import dev.rowlock.queue.internal.node.NodeServices;
import dev.rowlock.queue.internal.node.NodeSettings;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.internal.run.Extensions;
import dev.rowlock.queue.internal.run.QueueWorker;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that cannot record its outcomes must not keep its jobs from other nodes. */
@PostgresTest(migrated = true)
class StuckRecorderTest {

    private static final LeaseSettings LEASE =
            new LeaseSettings("test", Duration.ofSeconds(30), Duration.ofSeconds(5), 3);
    private static final long MILLI = 1_000_000;
    private static final Duration SOON = Duration.ofMinutes(1);
    private static final Duration LATER = Duration.ofMinutes(6);

    private final TestDatabase database;
    private Rooms rooms;
    private Notifier notifier;
    private Recorder recorder;
    private QueueWorker worker;

    StuckRecorderTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void prepare() {
        rooms = Rooms.emptyIn(database);
        notifier = new Notifier(new SendWakeup(rooms.database()));
        assemble(rooms.database());
    }

    private void assemble(Database through) {
        NodeParts parts = NodeParts.assemble(
                new NodeSettings(
                        WorkerSettings.DEFAULT, LEASE, RetentionSettings.DEFAULT, RetryPolicy.DEFAULT, 1 << 20, false),
                new NodeServices(
                        through,
                        database.unpooled(),
                        TestNode.codec(),
                        Extensions.NONE,
                        new WakeupBus(notifier),
                        null,
                        Admissions.ALL),
                List.of(ListenerDefinition.of("greet", (context, payload) -> null)
                        .queue(Rooms.QUEUE)));
        recorder = parts.recorder();
        worker = parts.queues().get(0);
    }

    @AfterEach
    void close() {
        notifier.close();
    }

    @Test
    void aRecorderThatMakesNoProgressWithItsOutcomesIsStuck() throws InterruptedException {
        rooms.ready(1);
        worker.accept(rooms.claim(rooms.node(), 1), System.nanoTime());
        assertThat(recorder.stuck(in(LATER))).as("nothing to write").isFalse();

        worker.releaseUnstarted();
        assertThat(recorder.stuck(in(SOON))).isFalse();
        assertThat(recorder.stuck(in(LATER))).isTrue();
        assertThat(demand(in(SOON))).isPositive();
        assertThat(demand(in(LATER))).as("it claims nothing more").isZero();

        Thread thread = new Thread(recorder);
        thread.start();
        Awaitility.await().until(() -> recorder.unwritten() == 0);
        assertThat(recorder.stuck(in(LATER))).isFalse();
        recorder.stop(Duration.ZERO);
        thread.join();
    }

    @Test
    void aRecorderThatWaitsForAConnectionWithoutEndIsStuckUntilItHasOne() throws Exception {
        try (HikariDataSource pool = poolOfOne(Duration.ZERO)) {
            assemble(new Database(pool, rooms.database().schema()));
            Connection taken = pool.getConnection();
            Thread thread = recording();
            Awaitility.await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);

            assertThat(recorder.stuck(in(SOON))).isFalse();
            assertThat(recorder.stuck(in(LATER))).isTrue();

            taken.close();
            Awaitility.await().until(() -> recorder.unwritten() == 0);
            assertThat(recorder.stuck(in(LATER))).isFalse();
            recorder.stop(Duration.ZERO);
            thread.join();
        }
    }

    @Test
    void aRecorderThatIsToldThatThereIsNoConnectionIsNotStuck() throws Exception {
        try (HikariDataSource pool = poolOfOne(Duration.ofMillis(250))) {
            assemble(new Database(pool, rooms.database().schema()));
            Connection taken = pool.getConnection();
            Thread thread = recording();
            Awaitility.await().until(recorder::failing);
            long fiveMinutesLater = in(Duration.ofMinutes(5));

            Awaitility.await().until(() -> !recorder.stuck(fiveMinutesLater + MILLI));

            recorder.stop(Duration.ZERO);
            thread.join();
            taken.close();
        }
    }

    private HikariDataSource poolOfOne(Duration longestWait) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(database.unpooled());
        pool.setMaximumPoolSize(1);
        pool.setConnectionTimeout(longestWait.toMillis());
        return pool;
    }

    private Thread recording() {
        rooms.ready(1);
        worker.accept(rooms.claim(rooms.node(), 1), System.nanoTime());
        worker.releaseUnstarted();
        Thread thread = new Thread(recorder);
        thread.start();
        return thread;
    }

    @Test
    void nothingIsClaimedWhileTooManyOutcomesAreUnwritten() {
        rooms.ready(OutcomeBacklog.MANY + 1);
        List<ClaimedJob> jobs = rooms.claim(rooms.node(), OutcomeBacklog.MANY + 1);

        worker.refuse(jobs.subList(0, OutcomeBacklog.MANY), System.nanoTime());
        assertThat(demand(System.nanoTime())).isPositive();
        worker.refuse(jobs.subList(OutcomeBacklog.MANY, jobs.size()), System.nanoTime());

        assertThat(demand(System.nanoTime())).isZero();
    }

    private int demand(long now) {
        return worker.demand(Kind.PLAIN, Duration.ZERO, now);
    }

    @Test
    void aNodeThatCannotWorkDoesNotBeatUntilItCanAgain() throws SQLException {
        Ability ability = new Ability();
        NodeLease lease = new NodeLease(
                LEASE,
                new Work(Map.of(Rooms.QUEUE, 10), null),
                database.unpooled(),
                rooms.database(),
                ability,
                Wakeups.NONE);
        lease.runOnce();
        String registered = lastBeat(lease);

        ability.unable = "the recorder is stuck";
        assertThatThrownBy(lease::runOnce).hasMessageContaining("does not beat").hasMessageContaining("is stuck");
        assertThat(lastBeat(lease)).isEqualTo(registered);

        ability.unable = null;
        lease.runOnce();
        assertThat(lastBeat(lease)).isNotEqualTo(registered);
    }

    private String lastBeat(NodeLease lease) {
        return rooms.sql("SELECT heartbeat_at::text FROM rowlock.node WHERE id = ?")
                .param(lease.nodeId())
                .query(String.class)
                .single();
    }

    private static long in(Duration time) {
        return System.nanoTime() + time.toNanos();
    }

    private static final class Ability implements NodeLease.Listener {

        private @Nullable String unable;

        @Override
        public @Nullable String unable() {
            return unable;
        }

        @Override
        public void lost() {}

        @Override
        public long[] heldTokens() {
            return new long[0];
        }

        @Override
        public void heard(BeatNode.Answer answer, @Nullable Duration nextExpiry) {}

        @Override
        public void mayClaim(long nodeId) {}
    }
}
