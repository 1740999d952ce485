package dev.rowlock.queue.internal.store.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.OpenTransaction;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.store.claim.QueueRange;
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
    private final CancelIdleJob cancelIdle;
    private final RequestCancel requestCancel;

    CancelJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        cancelIdle = new CancelIdleJob(rooms.database());
        requestCancel = new RequestCancel(rooms.database());
    }

    @Test
    void aWaitingJobIsCancelledAtOnce() {
        long id = rooms.waiting(Due.after(Duration.ofDays(1)));

        boolean found = cancelIdle.run(id);

        assertCancelled(found, id);
    }

    @Test
    void aReadyJobIsCancelledAtOnce() {
        long id = rooms.ready();

        boolean found = cancelIdle.run(id);

        assertCancelled(found, id);
    }

    @Test
    void aDeadJobHasEndedAndStays() {
        long id = rooms.dead();

        boolean found = cancelIdle.run(id);

        assertThat(found).isFalse();
        assertThat(rooms.roomsOf(id)).containsExactly("dead");
    }

    @Test
    void aRunningJobIsOnlyAskedToStop() {
        ClaimedJob job = rooms.running();

        boolean idle = cancelIdle.run(job.id());
        boolean running = requestCancel.run(job.id());

        assertThat(idle).isFalse();
        assertThat(running).isTrue();
        assertThat(rooms.look(job.id())).containsEntry("state", "running").containsEntry("cancel_requested", true);
    }

    @Test
    void anEndedOrUnknownJobIsNotFound() {
        long ended = rooms.ready();
        cancelIdle.run(ended);

        assertThat(cancelIdle.run(ended)).isFalse();
        assertThat(requestCancel.run(ended)).isFalse();
        assertThat(cancelIdle.run(Long.MAX_VALUE)).isFalse();
        assertThat(rooms.roomsOf(ended)).containsExactly("done");
    }

    @Test
    void aClaimThatIsUnderWayWinsAgainstACancel() throws Exception {
        long id = rooms.ready();
        long node = rooms.node();

        CompletableFuture<Boolean> cancelled;
        try (OpenTransaction claiming = new OpenTransaction(rooms.database())) {
            new ClaimReadyJobs(claiming.database()).run(Rooms.QUEUE, QueueRange.ALL, 1, node, null);
            cancelled = CompletableFuture.supplyAsync(() -> cancelIdle.run(id));
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
            new CancelIdleJob(cancelling.database()).run(id);
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
