package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class CancelJobsTest {

    private final Rooms rooms;
    private final JobStatements jobs;

    CancelJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        jobs = new JobStatements(rooms.database());
    }

    @Test
    void aWaitingJobIsCancelledAtOnce() {
        long id = rooms.waiting(Due.after(Duration.ofDays(1)));

        boolean found = jobs.cancelIdle(id, null);

        assertCancelled(found, id);
    }

    @Test
    void aReadyJobIsCancelledAtOnce() {
        long id = rooms.ready();

        boolean found = jobs.cancelIdle(id, null);

        assertCancelled(found, id);
    }

    @Test
    void aDeadJobHasEndedAndStays() {
        long id = rooms.dead();

        boolean found = jobs.cancelIdle(id, null);

        assertThat(found).isFalse();
        assertThat(rooms.roomsOf(id)).containsExactly("dead");
    }

    @Test
    void aRunningJobIsOnlyAskedToStop() {
        ClaimedJob job = rooms.running();

        boolean idle = jobs.cancelIdle(job.id(), null);
        boolean running = jobs.requestCancel(job.id(), null);

        assertThat(idle).isFalse();
        assertThat(running).isTrue();
        assertThat(rooms.look(job.id())).containsEntry("state", "running").containsEntry("cancel_requested", true);
    }

    @Test
    void anEndedOrUnknownJobIsNotFound() {
        long ended = rooms.ready();
        jobs.cancelIdle(ended, null);

        assertThat(jobs.cancelIdle(ended, null)).isFalse();
        assertThat(jobs.requestCancel(ended, null)).isFalse();
        assertThat(jobs.cancelIdle(Long.MAX_VALUE, null)).isFalse();
        assertThat(rooms.roomsOf(ended)).containsExactly("done");
    }

    @Test
    void aClaimThatIsUnderWayWinsAgainstACancel() throws Exception {
        long id = rooms.ready();
        long node = rooms.node();

        CompletableFuture<Boolean> cancelled;
        try (OpenTransaction claiming = new OpenTransaction(rooms.database())) {
            new ClaimReadyJobs(claiming.database()).run(Rooms.QUEUE, QueueRange.ALL, 1, node, null);
            cancelled = CompletableFuture.supplyAsync(() -> jobs.cancelIdle(id, null));
            rooms.awaitBlocked();
            claiming.commit();
        }

        assertThat(cancelled.get()).isFalse();
        assertThat(rooms.roomsOf(id)).containsExactly("running");
    }

    @Test
    void claimsPassOverAJobWhoseCancelIsUnderWay() throws Exception {
        long id = rooms.ready();
        long node = rooms.node();

        int claimed;
        try (OpenTransaction cancelling = new OpenTransaction(rooms.database())) {
            new JobStatements(cancelling.database()).cancelIdle(id, null);
            claimed = rooms.claim(node, 10).size();
            cancelling.commit();
        }

        assertThat(claimed).isZero();
        assertThat(rooms.roomsOf(id)).containsExactly("done");
    }

    private void assertCancelled(boolean found, long id) {
        assertThat(found).isTrue();
        assertThat(rooms.roomsOf(id)).containsExactly("done");
        assertThat(rooms.look(id)).containsEntry("state", "cancelled").containsEntry("cancel_requested", true);
    }
}
