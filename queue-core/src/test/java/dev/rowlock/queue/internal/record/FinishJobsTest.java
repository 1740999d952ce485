package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.RescueJobs;
import dev.rowlock.queue.internal.record.OutcomeStatements.Finished;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
@Representative
class FinishJobsTest {

    private final Rooms rooms;
    private final OutcomeStatements outcomes;

    FinishJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        outcomes = new OutcomeStatements(rooms.database(), true);
    }

    @Test
    void completedAndCancelledJobsMoveToDone() {
        List<ClaimedJob> jobs = rooms.running(2);
        ClaimedJob completed = jobs.get(0);
        ClaimedJob cancelled = jobs.get(1);

        Set<Long> held = outcomes.finish(
                List.of(
                        new Finished(completed.claim(), JobState.COMPLETED, "{\"sent\": true}"),
                        new Finished(cancelled.claim(), JobState.CANCELLED, null)),
                true);

        assertThat(held)
                .containsExactlyInAnyOrder(
                        completed.claim().token(), cancelled.claim().token());
        assertThat(rooms.roomsOf(completed.id())).containsExactly("done");
        assertThat(rooms.look(completed.id()))
                .containsEntry("state", "completed")
                .containsEntry("attempt", 1)
                .hasEntrySatisfying("result", result -> assertThat(result).hasToString("{\"sent\": true}"));
        assertThat(rooms.roomsOf(cancelled.id())).containsExactly("done");
        assertThat(rooms.look(cancelled.id()))
                .containsEntry("state", "cancelled")
                .containsEntry("result", null);
    }

    @Test
    void endedJobsAreGoneIfDoneJobsAreNotKept() {
        ClaimedJob job = rooms.running();

        Set<Long> held = new OutcomeStatements(rooms.database(), false)
                .finish(List.of(new Finished(job.claim(), JobState.COMPLETED, "1")), false);

        assertThat(held).containsExactly(job.claim().token());
        assertThat(rooms.roomsOf(job.id())).isEmpty();
    }

    @Test
    void lostClaimsAreLeftOutAndTheOthersOfTheBatchStand() {
        List<ClaimedJob> jobs = rooms.running(2);
        ClaimedJob held = jobs.get(0);
        ClaimedJob lost = jobs.get(1);

        Set<Long> tokens = outcomes.finish(
                List.of(
                        new Finished(Rooms.stale(lost.claim()), JobState.COMPLETED, null),
                        new Finished(held.claim(), JobState.COMPLETED, null)),
                true);

        assertThat(tokens).containsExactly(held.claim().token());
        assertThat(rooms.roomsOf(lost.id())).containsExactly("running");
        assertThat(rooms.roomsOf(held.id())).containsExactly("done");
    }

    @Test
    void anOutcomeThatIsRecordedTwiceCountsOnce() {
        ClaimedJob job = rooms.running();
        List<Finished> outcome = List.of(new Finished(job.claim(), JobState.COMPLETED, null));

        Set<Long> first = outcomes.finish(outcome, true);
        Set<Long> second = outcomes.finish(outcome, true);

        assertThat(first).hasSize(1);
        assertThat(second).isEmpty();
        assertThat(rooms.roomsOf(job.id())).containsExactly("done");
    }

    @Test
    void onlyOneOfTwoConcurrentOutcomesOfAClaimWins() throws Exception {
        ClaimedJob job = rooms.running();
        List<Finished> outcome = List.of(new Finished(job.claim(), JobState.COMPLETED, null));

        CompletableFuture<Set<Long>> ours;
        Set<Long> theirs;
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            theirs = new OutcomeStatements(other.database(), true).finish(outcome, true);
            ours = CompletableFuture.supplyAsync(() -> outcomes.finish(outcome, true));
            rooms.awaitBlocked();
            other.commit();
        }

        assertThat(theirs).containsExactly(job.claim().token());
        assertThat(ours.get()).isEmpty();
        assertThat(rooms.roomsOf(job.id())).containsExactly("done");
    }

    @Test
    void anOutcomeThatComesWhileItsJobIsBeingRescuedIsRefused() throws Exception {
        ClaimedJob job = rooms.running();
        rooms.execute("DELETE FROM rowlock.node");

        CompletableFuture<Set<Long>> ours;
        try (OpenTransaction rescuing = new OpenTransaction(rooms.database())) {
            new RescueJobs(rescuing.database()).run(3, RescueJobs.LIMIT);
            ours = CompletableFuture.supplyAsync(
                    () -> outcomes.finish(List.of(new Finished(job.claim(), JobState.COMPLETED, null)), true));
            rooms.awaitBlocked();
            rescuing.commit();
        }

        assertThat(ours.get()).isEmpty();
        assertThat(rooms.roomsOf(job.id())).containsExactly("ready");
    }

    @Test
    void anOutcomeStandsThoughItsJobWasTouchedInTheSameMoment() throws Exception {
        ClaimedJob job = rooms.running();

        CompletableFuture<Set<Long>> ours;
        try (OpenTransaction touching = new OpenTransaction(rooms.database())) {
            new JobStatements(touching.database()).requestCancel(job.id(), null);
            ours = CompletableFuture.supplyAsync(
                    () -> outcomes.finish(List.of(new Finished(job.claim(), JobState.COMPLETED, null)), true));
            rooms.awaitBlocked();
            touching.commit();
        }

        assertThat(ours.get()).containsExactly(job.claim().token());
        assertThat(rooms.roomsOf(job.id())).containsExactly("done");
    }

    @Test
    void aBatchOfAThousandIsOneStatement() {
        List<ClaimedJob> jobs = rooms.running(1_000);

        Set<Long> tokens = outcomes.finish(
                jobs.stream()
                        .map(job -> new Finished(job.claim(), JobState.COMPLETED, null))
                        .toList(),
                true);

        assertThat(tokens).hasSize(1_000);
        assertThat(rooms.count("done")).isEqualTo(1_000);
        assertThat(rooms.count("running")).isZero();
    }
}
