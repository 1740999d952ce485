package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.record.OutcomeStatements.Buried;
import dev.rowlock.queue.internal.record.OutcomeStatements.Moved;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
@Representative
class BuryJobsTest {

    private final Rooms rooms;
    private final OutcomeStatements outcomes;

    BuryJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        outcomes = new OutcomeStatements(rooms.database(), true);
    }

    @Test
    void aJobThatFailedForGoodLiesInDeadWithItsError() {
        ClaimedJob job = rooms.running();

        Set<Long> held = outcomes.bury(List.of(new Buried(job.claim(), Rooms.error("it failed"))))
                .held();

        assertThat(held).containsExactly(job.claim().token());
        assertThat(rooms.roomsOf(job.id())).containsExactly("dead");
        assertThat(rooms.look(job.id()))
                .containsEntry("state", "dead")
                .containsEntry("attempt", 1)
                .hasEntrySatisfying(
                        "errors", errors -> assertThat(errors.toString()).contains("it failed", "claimedAt"));
    }

    @Test
    void lostClaimsAreLeftOutAndTheOthersOfTheBatchStand() {
        List<ClaimedJob> jobs = rooms.running(2);

        Set<Long> held = outcomes.bury(List.of(
                        new Buried(jobs.get(0).claim(), Rooms.error("it failed")),
                        new Buried(Rooms.stale(jobs.get(1).claim()), Rooms.error("it failed"))))
                .held();

        assertThat(held).containsExactly(jobs.get(0).claim().token());
        assertThat(rooms.roomsOf(jobs.get(1).id())).containsExactly("running");
    }

    @Test
    void aJobThatFailedForGoodAndWasToBeCancelledIsCancelledAndKeepsItsError() {
        ClaimedJob job = rooms.running();
        new JobStatements(rooms.database()).requestCancel(job.id(), null);

        Moved moved = outcomes.bury(List.of(new Buried(job.claim(), Rooms.error("it failed"))));

        assertThat(moved.cancelled()).containsExactly(job.claim().token());
        assertThat(rooms.roomsOf(job.id())).containsExactly("done");
        assertThat(rooms.look(job.id()))
                .containsEntry("state", "cancelled")
                .hasEntrySatisfying(
                        "errors", errors -> assertThat(errors.toString()).contains("it failed", "claimedAt"));
    }

    @Test
    void whereDoneTakesItNotSuchAJobIsDead() {
        ClaimedJob job = rooms.running();
        new JobStatements(rooms.database()).requestCancel(job.id(), null);

        Moved moved = outcomes.buryAll(List.of(new Buried(job.claim(), Rooms.error("it failed"))));

        assertThat(moved.held()).containsExactly(job.claim().token());
        assertThat(moved.cancelled()).isEmpty();
        assertThat(rooms.roomsOf(job.id())).containsExactly("dead");
    }
}
