package dev.rowlock.queue.internal.janitor;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.RescueJobs.Rescued;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
@Representative
class RescueJobsTest {

    private static final int MAX_CRASHES = 3;

    private final Rooms rooms;
    private final RescueJobs rescue;

    RescueJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        rescue = new RescueJobs(rooms.database());
    }

    @Test
    void aJobWhoseNodeDiedIsReadyAgainAndNoOther() {
        ClaimedJob alive = rooms.running();
        ClaimedJob job = crashed(rooms.running(Rooms.job(QUEUE, -3)));

        List<Rescued> rescued = rescue.run(MAX_CRASHES, RescueJobs.LIMIT);

        assertThat(rescued).containsExactly(new Rescued(QUEUE, -3, 1, 0));
        assertThat(rooms.roomsOf(job.id())).containsExactly("ready");
        assertThat(rooms.look(job.id()))
                .as("a crash is no attempt")
                .containsEntry("crashes", 1)
                .containsEntry("attempt", 0);
        assertThat(rooms.roomsOf(alive.id())).containsExactly("running");
    }

    @Test
    void aJobThatBringsItsNodeDownEachTimeIsQuarantined() {
        long id = rooms.ready();

        for (int crash = 1; crash < MAX_CRASHES; crash++) {
            crashAlone(id);
            assertThat(rescue.run(MAX_CRASHES, RescueJobs.LIMIT)).containsExactly(new Rescued(QUEUE, 0, 1, 0));
            assertThat(rooms.look(id)).containsEntry("crashes", crash);
        }
        crashAlone(id);
        List<Rescued> last = rescue.run(MAX_CRASHES, RescueJobs.LIMIT);

        assertThat(last).containsExactly(new Rescued(QUEUE, 0, 1, 1));
        assertThat(rooms.roomsOf(id)).containsExactly("dead");
        assertThat(rooms.look(id))
                .containsEntry("state", "quarantined")
                .containsEntry("crashes", MAX_CRASHES)
                .hasEntrySatisfying(
                        "errors",
                        errors -> assertThat(errors.toString()).contains("crash", "3 times in all", "claimedAt"));
    }

    @Test
    void aNeighbourThatWasOnlyClaimedBesideAPoisonJobKeepsItsLastLife() {
        long id = rooms.ready();

        for (int death = 0; death < 5; death++) {
            rooms.claim(rooms.node(), 1);
            rooms.execute("DELETE FROM rowlock.node");
            rescue.run(MAX_CRASHES, RescueJobs.LIMIT);
        }

        assertThat(rooms.roomsOf(id)).containsExactly("ready");
        assertThat(rooms.look(id)).containsEntry("crashes", MAX_CRASHES - 1);
    }

    @Test
    void onlyTheLastSuspectThatANodeHasStartedIsToBlame() {
        List<ClaimedJob> suspects = rooms.running(2);
        rooms.execute("UPDATE rowlock.running SET crashes = %d".formatted(MAX_CRASHES - 1));
        ClaimStatements isolate = new ClaimStatements(rooms.database());

        boolean first = isolate.isolate(suspects.get(0).claim(), List.of());
        boolean second =
                isolate.isolate(suspects.get(1).claim(), List.of(suspects.get(0).claim()));
        rooms.execute("DELETE FROM rowlock.node");
        rescue.run(MAX_CRASHES, RescueJobs.LIMIT);

        assertThat(first).isTrue();
        assertThat(second).isTrue();
        assertThat(rooms.roomsOf(suspects.get(0).id())).containsExactly("ready");
        assertThat(rooms.roomsOf(suspects.get(1).id())).containsExactly("dead");
    }

    @Test
    void aNodeThatHasLostTheClaimPutsNoBlameOnTheJob() {
        ClaimedJob job = rooms.running();

        boolean held = new ClaimStatements(rooms.database()).isolate(Rooms.stale(job.claim()), List.of());

        assertThat(held).isFalse();
        assertThat(rooms.number("SELECT count(*) FROM rowlock.running WHERE isolated"))
                .isZero();

        assertThat(new ClaimStatements(rooms.database()).isolate(job.claim(), List.of()))
                .isTrue();
        assertThat(new ClaimStatements(rooms.database())
                        .isolate(rooms.running().claim(), List.of(Rooms.stale(job.claim()))))
                .isTrue();
        assertThat(rooms.number("SELECT count(*) FROM rowlock.running WHERE isolated"))
                .isEqualTo(2);
    }

    @Test
    void aRescuedJobIsNotSentBehindTheBacklog() {
        ClaimedJob job = crashed(rooms.running());
        rooms.ready();

        rescue.run(MAX_CRASHES, RescueJobs.LIMIT);

        assertThat(rooms.claim(rooms.node(), 1)).extracting(ClaimedJob::id).containsExactly(job.id());
    }

    @Test
    void aRescuedJobsOldClaimIsLost() {
        ClaimedJob job = crashed(rooms.running());

        rescue.run(MAX_CRASHES, RescueJobs.LIMIT);
        ClaimedJob again = rooms.claim(rooms.node(), 1).get(0);

        assertThat(again.id()).isEqualTo(job.id());
        assertThat(again.claim().token()).isGreaterThan(job.claim().token());
        assertThat(new OutcomeStatements(rooms.database(), true)
                        .release(List.of(job.claim()))
                        .held())
                .isEmpty();
        assertThat(rooms.roomsOf(job.id())).containsExactly("running");
    }

    @Test
    void aClaimThatWasUnderWayWhenItsNodeDiedIsFoundByTheNextSweep() throws Exception {
        long id = rooms.ready();
        long node = rooms.node();

        List<Rescued> duringTheClaim;
        try (OpenTransaction claiming = new OpenTransaction(rooms.database())) {
            new ClaimReadyJobs(claiming.database()).run(QUEUE, QueueRange.ALL, 10, node, null);
            rooms.declareDead(node);
            duringTheClaim = rescue.run(MAX_CRASHES, RescueJobs.LIMIT);
            claiming.commit();
        }
        List<Rescued> next = rescue.run(MAX_CRASHES, RescueJobs.LIMIT);

        assertThat(duringTheClaim).isEmpty();
        assertThat(next).hasSize(1);
        assertThat(rooms.roomsOf(id)).containsExactly("ready");
    }

    @Test
    void twoRescuersAtOnceMoveEachJobOnce() throws Exception {
        List<ClaimedJob> jobs = rooms.running(20);
        rooms.execute("DELETE FROM rowlock.node");

        List<Rescued> ours;
        List<Rescued> theirs;
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            theirs = new RescueJobs(other.database()).run(MAX_CRASHES, RescueJobs.LIMIT);
            ours = rescue.run(MAX_CRASHES, RescueJobs.LIMIT);
            other.commit();
        }

        assertThat(theirs).containsExactly(new Rescued(QUEUE, 0, 20, 0));
        assertThat(ours).isEmpty();
        assertThat(jobs).allSatisfy(job -> assertThat(rooms.look(job.id())).containsEntry("crashes", 1));
    }

    private ClaimedJob crashed(ClaimedJob job) {
        rooms.execute("DELETE FROM rowlock.node WHERE id = (SELECT node_id FROM rowlock.running WHERE id = %d)"
                .formatted(job.id()));
        return job;
    }

    /** Claims the job, starts it as the only suspect of its node, and lets the node die. */
    private void crashAlone(long id) {
        ClaimedJob job = rooms.claim(rooms.node(), 1).get(0);
        assertThat(job.id()).isEqualTo(id);
        if (job.crashes() > 0) {
            new ClaimStatements(rooms.database()).isolate(job.claim(), List.of());
        }
        crashed(job);
    }
}
