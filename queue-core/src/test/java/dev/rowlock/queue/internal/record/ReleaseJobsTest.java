package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.record.OutcomeStatements.Moved;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
@Representative
class ReleaseJobsTest {

    private final Rooms rooms;
    private final OutcomeStatements outcomes;

    ReleaseJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        outcomes = new OutcomeStatements(rooms.database(), true);
    }

    @Test
    void aReleasedJobIsReadyAgainAtNoCost() {
        ClaimedJob job = rooms.running();

        Set<Long> held = outcomes.release(List.of(job.claim())).held();

        assertThat(held).containsExactly(job.claim().token());
        assertThat(rooms.roomsOf(job.id())).containsExactly("ready");
        assertThat(rooms.look(job.id())).containsEntry("attempt", 0).containsEntry("crashes", 0);
    }

    @Test
    void aJobThatSomebodyAskedToCancelEndsAsCancelledInstead() {
        ClaimedJob job = rooms.running();
        new JobStatements(rooms.database()).requestCancel(job.id(), null);

        Set<Long> held = outcomes.release(List.of(job.claim())).held();

        assertThat(held).containsExactly(job.claim().token());
        assertThat(rooms.roomsOf(job.id())).containsExactly("done");
        assertThat(rooms.look(job.id())).containsEntry("state", "cancelled");
    }

    @Test
    void wokenNodesLearnHowUrgentReleasedJobsAre() {
        long urgent = rooms.ready(List.of(Rooms.job(Rooms.QUEUE, -5)))[0];
        ClaimedJob job = rooms.claim(rooms.node(), 1).get(0);
        ClaimedJob cancelled = rooms.running();
        new JobStatements(rooms.database()).requestCancel(cancelled.id(), null);

        Moved moved = outcomes.release(List.of(job.claim(), cancelled.claim()));

        assertThat(job.id()).isEqualTo(urgent);
        assertThat(moved.ranks()).containsExactly(Map.entry(job.claim().token(), -5));
        assertThat(moved.cancelled()).containsExactly(cancelled.claim().token());
    }

    @Test
    void lostClaimsAreLeftOutAndTheOthersOfTheBatchStand() {
        List<ClaimedJob> jobs = rooms.running(2);

        Set<Long> held = outcomes.release(
                        List.of(jobs.get(0).claim(), Rooms.stale(jobs.get(1).claim())))
                .held();

        assertThat(held).containsExactly(jobs.get(0).claim().token());
        assertThat(rooms.roomsOf(jobs.get(1).id())).containsExactly("running");
    }
}
