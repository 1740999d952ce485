package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.chore.TestOwnNode;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.lease.BeatNode;
import dev.rowlock.queue.internal.lease.BeatNode.Heartbeat;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.internal.lease.RemoveExpiredNodes;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** A trigger keeps jobs from coming back, all or one, until it is dropped. */
@PostgresTest(freshPerTest = true, migrated = true)
class RescueTest {

    private final Rooms rooms;
    private final TestOwnNode own;
    private final Rescue rescue;
    private final ClaimedJob job;

    RescueTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        job = rooms.running();
        own = new TestOwnNode(rooms.node());
        rescue = rescue(new JobObserver() {}, Wakeups.NONE);
    }

    private Rescue rescue(JobObserver observer, Wakeups wakeups) {
        return new Rescue(
                new RemoveExpiredNodes(rooms.database()), own, new RescueJobs(rooms.database()), 3, observer, wakeups);
    }

    @Test
    void aRescueThatFailedHalfWayIsContinued() {
        own.silent = others();
        nothingComesBack();
        assertThatThrownBy(rescue::runOnce).hasMessageContaining("nothing comes back");
        assertThat(rooms.count("node")).isEqualTo(1);
        own.silent = List.of();
        allComesBack();

        rescue.runOnce();

        assertThat(rooms.roomsOf(job.id())).containsExactly("ready");
    }

    private List<Heartbeat> others() {
        return rooms.database()
                .alone(connection -> new BeatNode(rooms.database().schema()).run(connection, own.id))
                .others();
    }

    @Test
    void aRescueRestsNoLongerThanTheNextLease() {
        own.nextExpiry = Duration.ofSeconds(3);
        assertThat(rescue.runOnce()).isBetween(Duration.ofSeconds(3), Duration.ofMillis(3_100));
        own.nextExpiry = Duration.ofSeconds(-1); // and this node has not watched for long enough
        assertThat(rescue.runOnce()).isEqualTo(Duration.ofSeconds(1));
        own.nextExpiry = null;
        assertThat(rescue.runOnce()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void orphanedJobsThatCouldNotBeTakenBackAreTakenBackAtTheNextTry() {
        Chore orphanedJobs = rescue.strayJobs(new TakeChore(rooms.database()));
        rooms.declareDead(own.id);
        rooms.execute("DELETE FROM rowlock.node");
        nothingComesBack();
        assertThatThrownBy(orphanedJobs::runOnce).hasMessageContaining("nothing comes back");
        allComesBack();

        orphanedJobs.runOnce();

        assertThat(rooms.roomsOf(job.id())).containsExactly("ready");
    }

    @Test
    void aJobOfADeadNodeThatIsRefusedIsLoggedOnceAndMovesAsSoonAsItMay() {
        List<ClaimedJob> others = rooms.running(3);
        rooms.execute("UPDATE rowlock.running SET cancel_requested = true WHERE id = " + job.id());
        rooms.execute("DELETE FROM rowlock.node");
        doneRefuses("23514");

        try (LogLines log = new LogLines(RefusedJobs.class.getName())) {
            rescue.takeBack();
            rescue.takeBack();

            assertThat(log.lines())
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .startsWith("ERROR 1 jobs of dead nodes cannot be released")
                    .contains("tried again each 1m", "[" + job.id() + "]");
        }
        assertThat(others)
                .allSatisfy(other -> assertThat(rooms.roomsOf(other.id())).containsExactly("ready"));
        assertThat(rooms.roomsOf(job.id())).containsExactly("running");

        rooms.execute("DROP TRIGGER refuse ON rowlock.done");
        rescue.takeBack();
        assertThat(rooms.roomsOf(job.id())).containsExactly("done");
    }

    @Test
    void oneOverdueJobThatCannotBeTakenDoesNotHoldUpTheOthers() {
        List<ClaimedJob> others = rooms.running(10);
        rooms.execute("UPDATE rowlock.running SET cancel_requested = true WHERE id = " + job.id());
        doneRefuses();
        own.overdue = Stream.concat(Stream.of(job), others.stream())
                .map(ClaimedJob::claim)
                .map(OverdueClaim::alone)
                .toList();

        new OverdueJobs(
                        own,
                        new OverdueStatements(rooms.database()),
                        RetryPolicy.DEFAULT,
                        Wakeups.NONE,
                        System::nanoTime)
                .runOnce();

        assertThat(rooms.roomsOf(job.id())).containsExactly("running");
        assertThat(others)
                .allSatisfy(other -> assertThat(rooms.roomsOf(other.id())).containsExactly("waiting"));
    }

    private void doneRefuses() {
        doneRefuses("53400");
    }

    private void doneRefuses(String code) {
        rooms.execute("""
                CREATE FUNCTION rowlock.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'not this one' USING errcode = '%s'; END $$
                """.formatted(code));
        rooms.execute(
                "CREATE TRIGGER refuse BEFORE INSERT ON rowlock.done FOR EACH ROW EXECUTE FUNCTION rowlock.refuse()");
    }

    @Test
    void oneNodeLooksForStrayJobsForAll() {
        rescue.strayJobs(new TakeChore(rooms.database())).runOnce();
        rooms.execute("DELETE FROM rowlock.node");

        rescue.strayJobs(new TakeChore(rooms.database())).runOnce();

        assertThat(rooms.roomsOf(job.id())).containsExactly("running");
    }

    @Test
    void allJobsOfADeadNodeComeBackThoughThereAreMoreThanOneStatementTakes() {
        rooms.running(RescueJobs.LIMIT);
        rooms.execute("DELETE FROM rowlock.node");

        rescue.takeBack();

        assertThat(rooms.count("running")).isZero();
        assertThat(rooms.count("ready")).isEqualTo(RescueJobs.LIMIT + 1);
    }

    @Test
    void queuesHearOfJobsThatComeBackWhateverAnObserverThrows() {
        RecordedWakeups wakeups = new RecordedWakeups();
        JobObserver broken = new JobObserver() {
            @Override
            public void rescued(int jobs, int quarantined) {
                throw new NoClassDefFoundError("for a test");
            }
        };
        rooms.execute("DELETE FROM rowlock.node");

        rescue(broken, wakeups).takeBack();

        assertThat(wakeups.heard())
                .containsExactly("1 back in " + Rooms.QUEUE + " from rank 0", "keys in " + Rooms.QUEUE);
    }

    /** It may have ended jobs and died before it went on with their workflows. */
    @Test
    void observersHearOfADeadNodeThatHeldNoJob() {
        List<Integer> heard = new ArrayList<>();
        JobObserver observer = new JobObserver() {
            @Override
            public void rescued(int jobs, int quarantined) {
                heard.add(jobs);
            }
        };
        Rescue observed = rescue(observer, Wakeups.NONE);
        rooms.execute("DELETE FROM rowlock.running");
        own.silent = others();

        observed.runOnce();
        own.silent = List.of();
        observed.runOnce();

        assertThat(heard).containsExactly(0);
    }

    @Test
    void noWakeUpAnnouncesAQuarantinedJob() {
        RecordedWakeups wakeups = new RecordedWakeups();
        rooms.execute("UPDATE rowlock.running SET crashes = 2, isolated = true");
        rooms.running(2);
        rooms.execute("DELETE FROM rowlock.node");

        rescue(new JobObserver() {}, wakeups).takeBack();

        assertThat(rooms.roomsOf(job.id())).containsExactly("dead");
        assertThat(wakeups.heard())
                .containsExactly("2 back in " + Rooms.QUEUE + " from rank 0", "keys in " + Rooms.QUEUE);
    }

    private void nothingComesBack() {
        rooms.execute("""
                CREATE FUNCTION rowlock.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'nothing comes back'; END $$
                """);
        rooms.execute(
                "CREATE TRIGGER refuse BEFORE INSERT ON rowlock.ready FOR EACH ROW EXECUTE FUNCTION rowlock.refuse()");
    }

    private void allComesBack() {
        rooms.execute("DROP TRIGGER refuse ON rowlock.ready");
    }
}
