package dev.rowlock.queue.internal.record;

import static dev.rowlock.queue.internal.record.TestHeldJob.pending;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.RescueJobs;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** How single batches of outcomes end, refused outcomes included. */
@PostgresTest(freshPerTest = true, migrated = true)
class OutcomeWriterTest {

    private static final Outcome FAILED = new Outcome.Failed(JobError.of("error", "for a test"));

    private final TestDatabase test;
    private final List<Duration> waits = new ArrayList<>();
    private final List<String> back = new ArrayList<>();
    private Rooms rooms;
    private OutcomeWriter writer;

    OutcomeWriterTest(TestDatabase test) {
        this.test = test;
    }

    @BeforeEach
    void prepare() {
        rooms = Rooms.emptyIn(test);
        writer = new OutcomeWriter(rooms.database(), true, new Noted());
    }

    @Test
    void theEarliestDueTimeOfSeveralWaitingJobsIsAnnounced() {
        List<ClaimedJob> jobs = rooms.running(3);

        writer.write(List.of(
                pending(jobs.get(0), new Outcome.Snoozed(Due.after(Duration.ofDays(1)), null)),
                pending(jobs.get(1), new Outcome.Snoozed(Due.after(Duration.ofMinutes(10)), null)),
                pending(jobs.get(2), new Outcome.Snoozed(Due.after(Duration.ofHours(1)), null))));

        assertThat(waits).hasSize(1);
        assertThat(waits.get(0)).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
    }

    /** Somebody who takes overdue jobs locks several of them too: in another order, each would wait for the other. */
    @Test
    void rowsAreLockedInTheOrderOfTheirIds() throws Exception {
        List<ClaimedJob> jobs = rooms.running(2);
        Outcome done = new Outcome.Completed(null);
        CompletableFuture<OutcomeWriter.Written> written;
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            JdbcClient.create(other.database().dataSource())
                    .sql("SELECT FROM rowlock.running WHERE id = ? FOR UPDATE")
                    .param(jobs.get(0).id())
                    .query()
                    .listOfRows();
            written = CompletableFuture.supplyAsync(
                    () -> writer.write(List.of(pending(jobs.get(1), done), pending(jobs.get(0), done))));

            rooms.awaitBlocked();

            assertThat(rooms.sql("SELECT id FROM rowlock.running FOR UPDATE SKIP LOCKED")
                            .query(Long.class)
                            .list())
                    .containsExactly(jobs.get(1).id());
        }
        assertThat(written.join().recorded()).hasSize(2);
    }

    @Test
    void releasedJobsAreAnnouncedWithTheMostUrgentRankOfTheirQueue() {
        rooms.ready(List.of(Rooms.job("mail", 3), Rooms.job("mail", -5), Rooms.job("mail", 7)));
        List<ClaimedJob> jobs = rooms.claim(rooms.node(), 3);

        writer.write(
                jobs.stream().map(job -> pending(job, new Outcome.Released())).toList());

        assertThat(back).containsExactly("3 jobs of mail, the most urgent of rank -5");
    }

    @ParameterizedTest
    @CsvSource({"53200, failed", "55P03, blocked", "23514, unwritable"})
    void theCauseOfAFailedBurialDecidesWhenItIsTriedAgain(String state, String fate) {
        refuse("done", "P0001");
        refuse("dead", state);
        PendingOutcome outcome = pending(rooms.running(), new Outcome.Completed("1"));

        OutcomeWriter.Written written = writer.write(List.of(outcome));

        assertThat(written.failed()).hasSize(fate.equals("failed") ? 1 : 0);
        assertThat(written.blocked()).hasSize(fate.equals("blocked") ? 1 : 0);
        assertThat(written.unwritable()).hasSize(fate.equals("unwritable") ? 1 : 0);
        assertThat(rooms.count("running")).isEqualTo(1);
    }

    @Test
    void anOutcomeOfADoneJobIsReportedAsTriedOrAsAlreadyCompleted() {
        List<ClaimedJob> jobs = rooms.running(2);
        new OutcomeStatements(rooms.database(), true)
                .finish(
                        jobs.stream()
                                .map(job -> new OutcomeStatements.Finished(job.claim(), JobState.COMPLETED, "1"))
                                .toList(),
                        true);
        PendingOutcome completed = pending(jobs.get(0), new Outcome.Completed("1"));

        OutcomeWriter.Written told = writer.write(List.of(completed, pending(jobs.get(1), FAILED)));

        assertThat(told.refused()).isEmpty();
        assertThat(told.recorded())
                .extracting(PendingOutcome::outcome)
                .containsExactlyInAnyOrder(completed.outcome(), new Outcome.AlreadyCompleted());
    }

    @Test
    void aJobThatRescueHasCancelledIsLostForItsFormerNode() {
        ClaimedJob job = rooms.running();
        new JobStatements(rooms.database()).requestCancel(job.id(), null);
        rooms.execute("DELETE FROM rowlock.node");
        new RescueJobs(rooms.database()).run(3, RescueJobs.LIMIT);

        OutcomeWriter.Written told = writer.write(List.of(pending(job, FAILED)));

        assertThat(rooms.look(job.id())).containsEntry("state", "cancelled");
        assertThat(told.recorded()).isEmpty();
        assertThat(told.refused()).hasSize(1);
    }

    @Test
    void aRefusedOutcomeIsLostIfTheDatabaseCannotTellMore() {
        ClaimedJob lost = rooms.running();
        rooms.execute("DELETE FROM rowlock.running");
        rooms.execute("ALTER FUNCTION rowlock.done_jobs(bigint[]) RENAME TO elsewhere");

        OutcomeWriter.Written told = writer.write(List.of(pending(lost, FAILED)));

        assertThat(told.refused()).hasSize(1);
    }

    private void refuse(String room, String state) {
        rooms.execute("""
                CREATE FUNCTION refuse_%1$s() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'not this one' USING ERRCODE = '%2$s'; END $$
                """.formatted(room, state));
        rooms.execute("CREATE TRIGGER refuse BEFORE INSERT ON rowlock.%1$s FOR EACH ROW EXECUTE FUNCTION refuse_%1$s()"
                .formatted(room));
    }

    private final class Noted implements Wakeups {

        @Override
        public void jobsReady(String queue, int rank, long jobs) {}

        @Override
        public void jobsBack(String queue, int rank, long jobs) {
            back.add("%d jobs of %s, the most urgent of rank %d".formatted(jobs, queue, rank));
        }

        @Override
        public void jobsWaiting(Duration dueIn) {
            waits.add(dueIn);
        }

        @Override
        public void attention() {}
    }
}
