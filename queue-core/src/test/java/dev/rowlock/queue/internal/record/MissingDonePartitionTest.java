package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.OverdueStatements;
import dev.rowlock.queue.internal.janitor.RescueJobs;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Every statement that moves jobs to done, where done has no partition at all. */
@PostgresTest(freshPerTest = true, migrated = true)
@Representative
class MissingDonePartitionTest {

    private final Rooms rooms;

    MissingDonePartitionTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
    }

    @BeforeEach
    void dropPartitions() {
        rooms.dropDonePartitions();
    }

    @Test
    void completedJobsAreKept() {
        List<OutcomeStatements.Finished> outcomes = rooms.running(3).stream()
                .map(job -> new OutcomeStatements.Finished(job.claim(), JobState.COMPLETED, "\"yes\""))
                .toList();

        assertThat(new OutcomeStatements(rooms.database(), true).finish(outcomes, true))
                .hasSize(3);

        assertThat(rooms.number("SELECT count(*) FROM rowlock.done WHERE state = 'completed'"))
                .isEqualTo(3);
    }

    @Test
    void aCancelledJobThatWantedToTryAgainEnds() {
        Claim claim = toBeCancelled();

        new OutcomeStatements(rooms.database(), true)
                .defer(List.of(
                        new OutcomeStatements.Deferred(claim, Due.after(Duration.ofDays(1)), null, "snooze", null)));

        assertThat(rooms.look(claim.jobId())).containsEntry("state", "cancelled");
    }

    @Test
    void aCancelledJobThatIsGivenBackEnds() {
        Claim claim = toBeCancelled();

        new OutcomeStatements(rooms.database(), true).release(List.of(claim));

        assertThat(rooms.look(claim.jobId())).containsEntry("state", "cancelled");
    }

    @Test
    void aCancelledJobOfADeadNodeEnds() {
        Claim claim = toBeCancelled();
        rooms.execute("DELETE FROM rowlock.node");

        new RescueJobs(rooms.database()).run(3, RescueJobs.LIMIT);

        assertThat(rooms.look(claim.jobId())).containsEntry("state", "cancelled");
    }

    @Test
    void aCancelledJobPastItsDeadlineEnds() {
        Claim claim = toBeCancelled();

        new OverdueStatements(rooms.database()).take(List.of(OverdueClaim.alone(claim)), 3, Duration.ofSeconds(1));

        assertThat(rooms.look(claim.jobId())).containsEntry("state", "cancelled");
    }

    @Test
    void anIdleJobCanBeCancelled() {
        long id = rooms.ready();

        assertThat(new JobStatements(rooms.database()).cancelIdle(id, null)).isTrue();

        assertThat(rooms.look(id)).containsEntry("state", "cancelled");
    }

    @Test
    void aTransactionThatCancelsAJobKeepsNoSavepoint() {
        long id = rooms.ready();

        assertThatThrownBy(() -> transaction(TransactionDefinition.ISOLATION_READ_COMMITTED)
                        .executeWithoutResult(status -> {
                            new EnsureDonePartitions(rooms.database()).makeMissing();
                            new JobStatements(rooms.database()).cancelIdle(id, null);
                            rooms.execute("ROLLBACK TO SAVEPOINT rowlock_partition");
                        }))
                .hasMessageContaining("does not exist");
    }

    @Test
    void aTransactionThatCancelsAJobLosesNothing() {
        long id = rooms.ready();
        rooms.execute("CREATE TABLE business (note text)");

        transaction(TransactionDefinition.ISOLATION_REPEATABLE_READ).executeWithoutResult(status -> {
            rooms.execute("INSERT INTO business VALUES ('before')");
            new JobStatements(rooms.database()).cancelIdle(id, null);
            rooms.execute("INSERT INTO business VALUES ('after')");
        });

        assertThat(rooms.look(id)).containsEntry("state", "cancelled");
        assertThat(rooms.number("SELECT count(*) FROM business")).isEqualTo(2);
    }

    @Test
    void completionInATransactionSaysWhatIsMissing() {
        ClaimedJob job = rooms.running();

        assertThatThrownBy(() -> transaction(TransactionDefinition.ISOLATION_DEFAULT)
                        .execute(status -> new OutcomeStatements(rooms.database(), true)
                                .finishInTransaction(job.claim(), null, true)))
                .isInstanceOf(DataIntegrityViolationException.class)
                .matches(e -> EnsureDonePartitions.missing((Exception) e));
    }

    @Test
    void aPartitionThatCannotBeMadeIsStillReportedMissing() {
        ClaimedJob job = rooms.running();
        rooms.execute("""
                CREATE OR REPLACE FUNCTION rowlock.ensure_done_partitions(days_ahead int) RETURNS void
                LANGUAGE plpgsql AS $$ BEGIN RAISE insufficient_privilege; END $$
                """);

        assertThatThrownBy(() -> new OutcomeStatements(rooms.database(), true)
                        .finish(List.of(new OutcomeStatements.Finished(job.claim(), JobState.COMPLETED, null)), true))
                .matches(e -> EnsureDonePartitions.missing((Exception) e))
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    }

    @Test
    void aConstraintOfTheApplicationIsNoMissingPartition() {
        ClaimedJob job = rooms.running();
        new EnsureDonePartitions(rooms.database()).makeMissing();
        rooms.execute("ALTER TABLE rowlock.done ADD CONSTRAINT never CHECK (state <> 'completed')");

        assertThatThrownBy(() -> new OutcomeStatements(rooms.database(), true)
                        .finish(List.of(new OutcomeStatements.Finished(job.claim(), JobState.COMPLETED, null)), true))
                .isInstanceOf(DataIntegrityViolationException.class)
                .matches(e -> !EnsureDonePartitions.missing((Exception) e));
    }

    private Claim toBeCancelled() {
        Claim claim = rooms.running().claim();
        rooms.execute("UPDATE rowlock.running SET cancel_requested = true");
        return claim;
    }

    private TransactionTemplate transaction(int isolation) {
        TransactionTemplate template = new TransactionTemplate(
                new DataSourceTransactionManager(rooms.database().dataSource()));
        template.setIsolationLevel(isolation);
        return template;
    }
}
