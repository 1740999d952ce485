package dev.rowlock.queue.internal.store.admin;

import static dev.rowlock.queue.internal.store.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.OpenTransaction;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.admin.RedriveDeadJobs.Batch;
import dev.rowlock.queue.internal.store.due.DispatchDueJobs;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What happens to dead jobs: another life, or a recorded end. */
@PostgresTest
class DeadJobsTest {

    private final Rooms rooms;
    private final RedriveDeadJobs redrive;
    private final DiscardDeadJobs discard;
    private final LastDeadJob last;

    DeadJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        redrive = new RedriveDeadJobs(rooms.database());
        discard = new DiscardDeadJobs(rooms.database());
        last = new LastDeadJob(rooms.database());
    }

    // Redrive

    @Test
    void aRedrivenJobHasFreshAttemptsAndKeepsItsHistory() {
        long id = rooms.dead();
        rooms.execute("UPDATE rowlock.dead SET attempt = 11, crashes = 2");

        boolean redriven = redrive.one(id);

        assertThat(redriven).isTrue();
        assertThat(rooms.roomsOf(id)).containsExactly("waiting");
        assertThat(rooms.look(id))
                .containsEntry("reason", "redrive")
                .containsEntry("attempt", 0)
                .containsEntry("crashes", 0)
                .hasEntrySatisfying(
                        "errors", errors -> assertThat(errors.toString()).contains("it failed"));
    }

    @Test
    void aRedrivenJobRunsAgainUnderANewToken() {
        ClaimedJob job = rooms.running();
        rooms.bury(job.claim());

        redrive.one(job.id());
        new DispatchDueJobs(rooms.database()).run(10);
        ClaimedJob again = rooms.claim(rooms.node(), 1).get(0);

        assertThat(again.id()).isEqualTo(job.id());
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(again.claim().token()).isGreaterThan(job.claim().token());
    }

    @Test
    void onlyDeadJobsAreRedriven() {
        long ready = rooms.ready();

        boolean redriven = redrive.one(ready);

        assertThat(redriven).isFalse();
        assertThat(rooms.roomsOf(ready)).containsExactly("ready");
    }

    @Test
    void aSweepMovesBatchAfterBatchAndOnlyItsOwnQueue() {
        long first = rooms.dead();
        long second = rooms.dead();
        long third = rooms.dead();
        long other = deadOf("print");

        Batch one = redrive.some(QUEUE, 0, last.run(QUEUE), 2);
        Batch two = redrive.some(QUEUE, one.lastId(), last.run(QUEUE), 2);

        assertThat(one).isEqualTo(new Batch(2, second));
        assertThat(two).isEqualTo(new Batch(1, third));
        assertThat(rooms.roomsOf(first)).containsExactly("waiting");
        assertThat(rooms.roomsOf(other)).containsExactly("dead");
    }

    @Test
    void jobsThatDieWhileASweepIsUnderWayAreNotPartOfIt() {
        rooms.dead();
        long bound = last.run(QUEUE);
        long later = rooms.dead();

        Batch batch = redrive.some(QUEUE, 0, bound, 10);

        assertThat(batch.jobs()).isEqualTo(1);
        assertThat(rooms.roomsOf(later)).containsExactly("dead");
    }

    @Test
    void twoSweepsAtOnceMoveEachJobOnce() throws Exception {
        rooms.dead();
        rooms.dead();
        long bound = last.run(QUEUE);

        Batch theirs;
        Batch ours;
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            theirs = new RedriveDeadJobs(other.database()).some(QUEUE, 0, bound, 1);
            ours = redrive.some(QUEUE, 0, bound, 10);
            other.commit();
        }

        assertThat(theirs.jobs()).isEqualTo(1);
        assertThat(ours.jobs()).isEqualTo(1);
        assertThat(rooms.count("waiting")).isEqualTo(2);
    }

    // Discard

    @Test
    void aDiscardedJobIsGoneAndWrittenDown() {
        long id = rooms.dead();

        boolean discarded = discard.one(id);

        assertThat(discarded).isTrue();
        assertThat(rooms.roomsOf(id)).isEmpty();
        assertThat(dropped()).isEqualTo(1);
    }

    @Test
    void onlyDeadJobsAreDiscardedAndNothingIsWrittenDownOtherwise() {
        long ready = rooms.ready();

        boolean discarded = discard.one(ready);

        assertThat(discarded).isFalse();
        assertThat(rooms.roomsOf(ready)).containsExactly("ready");
        assertThat(rooms.count("dropped")).isZero();
    }

    @Test
    void aSweepDiscardsOneQueueInBatches() {
        rooms.dead();
        rooms.dead();
        rooms.dead();
        long other = deadOf("print");

        int first = discard.some(QUEUE, last.run(QUEUE), 2);
        int second = discard.some(QUEUE, last.run(QUEUE), 2);

        assertThat(first).isEqualTo(2);
        assertThat(second).isEqualTo(1);
        assertThat(rooms.roomsOf(other)).containsExactly("dead");
        assertThat(dropped()).isEqualTo(3);
    }

    @Test
    void retentionDiscardsJobsThatDiedLongAgoOldestFirst() {
        long old = died(Duration.ofDays(31));
        long oldest = died(Duration.ofDays(90));
        long young = died(Duration.ofDays(29));

        int first = discard.olderThan(Duration.ofDays(30), 1);
        assertThat(rooms.roomsOf(oldest)).isEmpty();
        assertThat(rooms.roomsOf(old)).containsExactly("dead");
        int second = discard.olderThan(Duration.ofDays(30), 10);

        assertThat(first).isEqualTo(1);
        assertThat(second).isEqualTo(1);
        assertThat(rooms.roomsOf(young)).containsExactly("dead");
        assertThat(dropped()).isEqualTo(2);
    }

    @Test
    void aJobDiscardedAndRedrivenAtOnceGoesOnlyOneWay() throws Exception {
        long id = rooms.dead();
        long bound = last.run(QUEUE);

        int discarded;
        try (OpenTransaction redriving = new OpenTransaction(rooms.database())) {
            new RedriveDeadJobs(redriving.database()).one(id);
            discarded = discard.some(QUEUE, bound, 10);
            redriving.commit();
        }

        assertThat(discarded).isZero();
        assertThat(rooms.roomsOf(id)).containsExactly("waiting");
        assertThat(dropped()).isZero();
    }

    private long deadOf(String queue) {
        long id = rooms.dead();
        rooms.execute("UPDATE rowlock.dead SET queue = '%s' WHERE id = %d".formatted(queue, id));
        return id;
    }

    private long died(Duration ago) {
        long id = rooms.dead();
        rooms.execute("UPDATE rowlock.dead SET died_at = died_at - interval '%d seconds' WHERE id = %d"
                .formatted(ago.toSeconds(), id));
        return id;
    }

    private long dropped() {
        return rooms.number("SELECT coalesce(sum(jobs), 0) FROM rowlock.dropped WHERE room = 'dead'");
    }
}
