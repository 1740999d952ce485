package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.chore.TestOwnNode;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.OverdueStatements.Overdue;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class OverdueJobsTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final Claim CLAIM = new Claim(1, 1);

    private final DataSource dataSource;
    private final Rooms rooms;
    private final TestOwnNode own;
    private final OverdueJobs chore;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final OverdueJobs.Elsewhere elsewhere = new OverdueJobs.Elsewhere(GRACE);
    private long nanos;

    OverdueJobsTest(TestDatabase database) {
        dataSource = database.dataSource();
        rooms = Rooms.emptyIn(database);
        own = new TestOwnNode(rooms.node());
        chore = new OverdueJobs(
                own, new OverdueStatements(rooms.database()), RetryPolicy.DEFAULT, wakeups, () -> nanos);
    }

    @Test
    void jobsKeepRunningWhenTheClockIsSetForwardPastTheirDeadlines() {
        ClaimedJob ofAnother = rooms.running();
        ClaimedJob mine = claimed();
        deadlinesPassedBy("1 hour");

        chore.runOnce();
        chore.runOnce();

        assertThat(rooms.roomsOf(ofAnother.id())).containsExactly("running");
        assertThat(rooms.roomsOf(mine.id())).containsExactly("running");
    }

    @Test
    void aNodeTakesItsOwnJobsAlthoughTheClockWasSetBack() {
        ClaimedJob mine = claimed();
        deadlinesPassedBy("-1 hour");
        own.overdue = List.of(OverdueClaim.alone(mine.claim()));

        chore.runOnce();

        assertThat(rooms.roomsOf(mine.id())).containsExactly("waiting");
    }

    /** As where a handler of this node goes on although another node has taken its job, and the job is overdue again. */
    @Test
    void aClaimThatWasLostHidesNoOtherOfItsJob() {
        ClaimedJob held = claimed();
        Claim lost = new Claim(held.id(), held.claim().token() - 1);
        own.overdue = List.of(OverdueClaim.alone(lost), OverdueClaim.alone(held.claim()));

        chore.runOnce();

        assertThat(rooms.roomsOf(held.id())).containsExactly("waiting");
    }

    /** Its key has room now, and it runs again itself: nobody is to wait for the next poll. */
    @Test
    void nodesAreToldOfTheRoomThatATakenJobLeavesAndWhenItRunsAgain() {
        ClaimedJob retried = claimed();
        rooms.execute("UPDATE rowlock.running SET max_retries = 5");
        own.overdue = List.of(OverdueClaim.alone(retried.claim()));

        chore.runOnce();

        assertThat(wakeups.heard())
                .containsExactly("keys in " + Rooms.QUEUE, "waiting " + RetryPolicy.DEFAULT.initialInterval());
    }

    @Test
    void aTakenJobThatIsDeadLeavesRoomAsWell() {
        ClaimedJob dead = claimed();
        rooms.execute("UPDATE rowlock.running SET max_retries = 0");
        own.overdue = List.of(OverdueClaim.alone(dead.claim()));

        chore.runOnce();

        assertThat(rooms.roomsOf(dead.id())).containsExactly("dead");
        assertThat(wakeups.heard()).containsExactly("keys in " + Rooms.QUEUE);
    }

    @Test
    void aJobIsNeglectedOnlyAfterLookingOverdueForAsLongAsItMayRun() {
        assertThat(overdueElsewhereAt(0, 100)).isEmpty();
        assertThat(overdueElsewhereAt(609, 100)).isEmpty();

        assertThat(overdueElsewhereAt(610, 100)).containsExactly(CLAIM);
    }

    @Test
    void aJobWhoseDeadlineWasMovedIsNotNeglected() {
        overdueElsewhereAt(0, 100);

        assertThat(overdueElsewhereAt(610, 200)).isEmpty();
        assertThat(overdueElsewhereAt(1_220, 200)).containsExactly(CLAIM);
    }

    @Test
    void aJobThatLookedOverdueForAWhileOnlyIsNotNeglected() {
        overdueElsewhereAt(0, 100);
        elsewhere.among(List.of(), Duration.ofSeconds(300).toNanos());

        assertThat(overdueElsewhereAt(610, 100)).isEmpty();
    }

    @Test
    void anotherNodeTakesAnOverdueJobThatItsOwnNodeDoesNotTake() {
        ClaimedJob ofAnother = rooms.running();
        rooms.execute("""
                UPDATE rowlock.running SET deadline = statement_timestamp() - interval '1 hour',
                       claimed_at = statement_timestamp() - interval '1 hour' - interval '10 ms'
                """);

        chore.runOnce();
        nanos += Duration.ofSeconds(40).toNanos();
        chore.runOnce();
        assertThat(rooms.roomsOf(ofAnother.id()))
                .as("its node has had two looks to say that it is in time")
                .containsExactly("running");
        nanos += Duration.ofMillis(10).toNanos();
        chore.runOnce();

        assertThat(rooms.roomsOf(ofAnother.id())).containsExactly("waiting");
    }

    @Test
    void aNodePostponesTheDeadlinesOfTheJobsThatItHoldsAndKnowsToBeInTime() {
        ClaimedJob notBegun = claimed();
        ClaimedJob ofAnother = rooms.running();
        own.held = new long[] {notBegun.claim().token(), ofAnother.claim().token()};
        deadlinesPassedBy("1 hour");

        chore.runOnce();

        assertThat(rooms.sql("SELECT id FROM rowlock.running WHERE deadline > statement_timestamp() + interval '30 s'")
                        .query(Long.class)
                        .list())
                .containsExactly(notBegun.id());
    }

    @Test
    void aNodeTakesAJobThatItHoldsPastItsDeadline() {
        ClaimedJob mine = claimed();
        own.held = new long[] {mine.claim().token()};
        own.overdue = List.of(OverdueClaim.alone(mine.claim()));
        deadlinesPassedBy("1 hour");

        chore.runOnce();

        assertThat(rooms.roomsOf(mine.id())).containsExactly("waiting");
    }

    @Test
    void aLockedRowDoesNotKeepTheOthersFromBeingPostponed() throws Exception {
        ClaimedJob locked = claimed();
        ClaimedJob other = claimed();
        own.held = new long[] {locked.claim().token(), other.claim().token()};
        deadlinesPassedBy("1 hour");

        try (Connection holder = dataSource.getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("SELECT FROM rowlock.running WHERE id = " + locked.id() + " FOR UPDATE");
            chore.runOnce();
            holder.rollback();
        }

        assertThat(rooms.sql("SELECT id FROM rowlock.running WHERE deadline > statement_timestamp()")
                        .query(Long.class)
                        .list())
                .containsExactly(other.id());
    }

    private ClaimedJob claimed() {
        rooms.ready();
        return rooms.claim(own.id, 1).get(0);
    }

    private List<Claim> overdueElsewhereAt(int second, double deadline) {
        return elsewhere.among(
                List.of(new Overdue(CLAIM, 2, deadline, TIMEOUT)),
                Duration.ofSeconds(second).toNanos());
    }

    private void deadlinesPassedBy(String interval) {
        rooms.execute("""
                UPDATE rowlock.running SET deadline = statement_timestamp() - interval '%1$s',
                       claimed_at = statement_timestamp() - interval '%1$s' - interval '10 minutes'
                """.formatted(interval));
    }
}
