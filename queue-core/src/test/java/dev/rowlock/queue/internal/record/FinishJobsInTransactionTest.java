package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.RescueJobs;
import dev.rowlock.queue.internal.record.OutcomeStatements.Finished;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@PostgresTest(migrated = true)
class FinishJobsInTransactionTest {

    private final Rooms rooms;
    private final OutcomeStatements outcomes;
    private final TransactionTemplate transaction;

    FinishJobsInTransactionTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        outcomes = new OutcomeStatements(rooms.database(), true);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
    }

    private static List<Finished> finished(List<ClaimedJob> jobs) {
        return jobs.stream()
                .map(job -> new Finished(job.claim(), JobState.COMPLETED, "{\"n\": 1}"))
                .toList();
    }

    @Test
    void allOfThemAreDoneWithTheTransaction() {
        List<ClaimedJob> jobs = rooms.running(5);

        Set<Long> held = transaction.execute(status -> outcomes.finishInTransaction(finished(jobs), true));

        assertThat(held).hasSize(5);
        assertThat(rooms.count("running")).isZero();
        assertThat(rooms.count("done")).isEqualTo(5);
        assertThat(rooms.look(jobs.get(0).id())).containsEntry("state", "completed");
    }

    @Test
    void noneOfThemIsDoneIfTheTransactionRollsBack() {
        List<ClaimedJob> jobs = rooms.running(5);

        transaction.executeWithoutResult(status -> {
            outcomes.finishInTransaction(finished(jobs), true);
            status.setRollbackOnly();
        });

        assertThat(rooms.count("running")).isEqualTo(5);
        assertThat(rooms.count("done")).isZero();
    }

    @Test
    void thoseWhoseClaimIsLostAreNotAmongThoseThatAreAnswered() {
        List<ClaimedJob> jobs = rooms.running(3);
        List<Finished> some = List.of(
                new Finished(jobs.get(0).claim(), JobState.COMPLETED, null),
                new Finished(Rooms.stale(jobs.get(1).claim()), JobState.COMPLETED, null),
                new Finished(jobs.get(2).claim(), JobState.COMPLETED, null));

        Set<Long> held = transaction.execute(status -> outcomes.finishInTransaction(some, true));

        assertThat(held)
                .containsExactlyInAnyOrder(
                        jobs.get(0).claim().token(), jobs.get(2).claim().token());
        assertThat(rooms.roomsOf(jobs.get(1).id())).containsExactly("running");
    }

    @Test
    void noRowStaysWhereDoneJobsAreNotKept() {
        List<ClaimedJob> jobs = rooms.running(3);

        Set<Long> held = transaction.execute(
                status -> new OutcomeStatements(rooms.database(), false).finishInTransaction(finished(jobs), false));

        assertThat(held).hasSize(3);
        assertThat(rooms.count("running") + rooms.count("done")).isZero();
    }

    @Test
    void aRescueLeavesTheJobsToAnOpenTransactionThatFinishesThem() throws Exception {
        List<ClaimedJob> jobs = rooms.running(3);

        List<RescueJobs.Rescued> rescued;
        try (OpenTransaction handler = new OpenTransaction(rooms.database())) {
            new OutcomeStatements(handler.database(), true).finishInTransaction(finished(jobs), true);
            rooms.execute("DELETE FROM rowlock.node");
            rescued = new RescueJobs(rooms.database()).run(3, RescueJobs.LIMIT);
            handler.commit();
        }

        assertThat(rescued).isEmpty();
        assertThat(rooms.count("done")).isEqualTo(3);
    }

    @Test
    void theCallersTransactionKeepsItsPlanSettings() {
        List<ClaimedJob> jobs = rooms.running(3);
        String before = settings();

        String after = transaction.execute(status -> {
            rooms.sql("SELECT set_config('enable_hashjoin', 'off', true), set_config('lock_timeout', '123s', true)")
                    .query()
                    .singleRow();
            outcomes.finishInTransaction(finished(jobs), true);
            return settings();
        });

        assertThat(after).isEqualTo("on on off on on on auto on 123s");
        assertThat(settings()).isEqualTo(before).startsWith("on on on on");
    }

    private String settings() {
        return rooms.sql("""
                        SELECT concat_ws(' ', current_setting('enable_seqscan'), current_setting('enable_bitmapscan'),
                               current_setting('enable_hashjoin'), current_setting('enable_mergejoin'),
                               current_setting('enable_nestloop'), current_setting('enable_sort'),
                               current_setting('plan_cache_mode'), current_setting('jit'), current_setting('lock_timeout'))
                        """).query(String.class).single();
    }
}
