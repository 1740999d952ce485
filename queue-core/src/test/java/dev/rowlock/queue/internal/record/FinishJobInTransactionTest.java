package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.RescueJobs;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@PostgresTest(migrated = true)
class FinishJobInTransactionTest {

    private final Rooms rooms;
    private final OutcomeStatements outcomes;
    private final TransactionTemplate transaction;

    FinishJobInTransactionTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        rooms.execute("CREATE TABLE IF NOT EXISTS invoice (job_id bigint)");
        rooms.execute("TRUNCATE invoice");
        outcomes = new OutcomeStatements(rooms.database(), true);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
    }

    @Test
    void businessRowsAndDoneCommitTogether() {
        ClaimedJob job = rooms.running();

        transaction.executeWithoutResult(status -> {
            rooms.execute("INSERT INTO invoice VALUES (" + job.id() + ")");
            assertThat(outcomes.finishInTransaction(job.claim(), "{\"invoice\": 1}", true))
                    .isTrue();
        });

        assertThat(rooms.roomsOf(job.id())).containsExactly("done");
        assertThat(rooms.look(job.id())).containsEntry("state", "completed");
        assertThat(rooms.count("done")).isEqualTo(1);
        assertThat(invoices()).isEqualTo(1);
    }

    @Test
    void businessRowsAndDoneRollBackTogether() {
        ClaimedJob job = rooms.running();

        transaction.executeWithoutResult(status -> {
            rooms.execute("INSERT INTO invoice VALUES (" + job.id() + ")");
            outcomes.finishInTransaction(job.claim(), null, true);
            status.setRollbackOnly();
        });

        assertThat(rooms.roomsOf(job.id())).containsExactly("running");
        assertThat(invoices()).isZero();
    }

    @Test
    void aLostClaimIsReportedAndChangesNothing() {
        ClaimedJob job = rooms.running();

        boolean held =
                transaction.execute(status -> outcomes.finishInTransaction(Rooms.stale(job.claim()), null, true));

        assertThat(held).isFalse();
        assertThat(rooms.roomsOf(job.id())).containsExactly("running");
        OutcomeStatements forgetting = new OutcomeStatements(rooms.database(), false);
        assertThat(transaction.<Boolean>execute(
                        status -> forgetting.finishInTransaction(Rooms.stale(job.claim()), null, false)))
                .isFalse();
        assertThat(rooms.roomsOf(job.id())).containsExactly("running");
    }

    @Test
    void theJobIsGoneIfDoneJobsAreNotKept() {
        ClaimedJob job = rooms.running();

        boolean held = transaction.execute(
                status -> new OutcomeStatements(rooms.database(), false).finishInTransaction(job.claim(), "1", false));

        assertThat(held).isTrue();
        assertThat(rooms.roomsOf(job.id())).isEmpty();
    }

    @Test
    void aRescueLeavesTheJobToAnOpenTransactionThatFinishesIt() throws Exception {
        ClaimedJob job = rooms.running();

        List<RescueJobs.Rescued> rescued;
        try (OpenTransaction handler = new OpenTransaction(rooms.database())) {
            new OutcomeStatements(handler.database(), true).finishInTransaction(job.claim(), null, true);
            rooms.execute("DELETE FROM rowlock.node");
            rescued = new RescueJobs(rooms.database()).run(3, RescueJobs.LIMIT);
            handler.commit();
        }

        assertThat(rescued).isEmpty();
        assertThat(rooms.roomsOf(job.id())).containsExactly("done");
    }

    @Test
    void theCallersTransactionKeepsItsPlanSettings() {
        ClaimedJob job = rooms.running();

        String after = transaction.execute(status -> {
            rooms.sql("SELECT set_config('enable_hashjoin', 'off', true)")
                    .query(String.class)
                    .single();
            outcomes.finishInTransaction(job.claim(), null, true);
            return settings();
        });

        assertThat(after).isEqualTo("on on off on on");
        assertThat(settings()).isEqualTo("on on on on on");
    }

    private String settings() {
        return rooms.sql("""
                        SELECT concat_ws(' ', current_setting('enable_seqscan'), current_setting('enable_bitmapscan'),
                               current_setting('enable_hashjoin'), current_setting('enable_mergejoin'),
                               current_setting('enable_sort'))
                        """).query(String.class).single();
    }

    private long invoices() {
        return rooms.number("SELECT count(*) FROM invoice");
    }
}
