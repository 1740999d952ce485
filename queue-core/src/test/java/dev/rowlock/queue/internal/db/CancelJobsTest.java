package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
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
}
