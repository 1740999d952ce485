package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.gate.LimitStatements;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Representative
class ClaimInOrderTest extends KeyedQueue {

    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)");

    private final long before;

    ClaimInOrderTest(TestDatabase database) {
        super(database);
        before = rooms.number("SELECT nextval('rowlock.job_id')");
        order(AfterFailure.HOLD);
    }

    @Test
    void oneJobOfAKeyAfterTheOther() {
        enqueue("a", 3);
        enqueue("b", 1);

        assertThat(claimed()).containsExactly(1L, 4L);
        assertThat(claimed()).isEmpty();
        end(1);
        assertThat(claimed()).containsExactly(2L);
    }

    @Test
    void theClockDoesNotMatter() {
        enqueue("a", 3);
        rooms.execute("UPDATE rowlock.ready SET ready_at = ready_at - id * interval '1 hour'");

        assertThat(claimed()).containsExactly(1L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"retry", "snooze", "unknown-type", "not-started", "crash", "redrive"})
    void aJobThatHasBegunAndWaitsHoldsUpTheOthersOfItsKey(String reason) {
        enqueue("a", 3);
        enqueue("b", 2);
        claimed();
        defer(1, reason, 1);
        end(4);

        assertThat(claimed()).containsExactly(5L);
        ready(1);
        assertThat(claimed()).containsExactly(1L);
    }

    @Test
    void aJobThatIsDueLaterHoldsUpNobody() {
        enqueue("a", 3);
        defer(1, "scheduled", 0);

        assertThat(claimed()).containsExactly(2L);
    }

    @Test
    void aJobThatIsTriedAgainStandsBeforeMoreUrgentOnesAndOlderOnesThatHaveNotBegun() {
        enqueue("a", 2);
        defer(1, "scheduled", 0);
        assertThat(claimed()).containsExactly(2L);
        defer(2, "retry", 1);
        ready(1);
        enqueue("a", 1);
        rooms.execute("UPDATE rowlock.ready SET rank = -10 WHERE id = " + (before + 3));
        ready(2);

        assertThat(claimed()).containsExactly(2L);
        end(2);
        assertThat(claimed()).containsExactly(3L);
        end(3);
        assertThat(claimed()).containsExactly(1L);
    }

    @Test
    void aHeadThatSomebodyHoldsLetsNobodyPass() throws SQLException {
        enqueue("a", 2);

        try (Connection other = database.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM rowlock.ready WHERE id = %d FOR UPDATE".formatted(before + 1));
            assertThat(claimed()).isEmpty();
            other.rollback();
        }
        assertThat(claimed()).containsExactly(1L);
    }

    @Test
    void aHeadOfATypeThatIsLeftToOthersLetsNobodyPass() {
        enqueue("a", 2);
        rooms.execute("UPDATE rowlock.ready SET type = 'other' WHERE id = " + (before + 1));

        assertThat(claim.run(QUEUE, Look.FIRST, 10, 0, new Which(List.of("other"), List.of(), null), node, null)
                        .batch()
                        .jobs())
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void afterAFailure(AfterFailure afterFailure) {
        order(afterFailure);
        enqueue("a", 3);
        assertThat(claimed()).containsExactly(1L);
        fail(1);
        enqueue("a", 1);

        KeyedBatch batch = run(10);
        List<Long> next = ids(batch);
        if (!batch.toCancel().isEmpty()) {
            assertThat(claim.cancelRest().run(QUEUE, batch.toCancel()).jobs()).isEqualTo(2);
            next = claimed();
        }

        assertThat(next)
                .isEqualTo(
                        switch (afterFailure) {
                            case HOLD -> List.of();
                            case CONTINUE -> List.of(2L);
                            case CANCEL_REST -> List.of(4L);
                        });
        assertThat(rooms.number(
                        "SELECT count(*) FROM rowlock.done WHERE state = 'cancelled' AND errors::text LIKE '%job "
                                + (before + 1) + " of its key is dead%'"))
                .isEqualTo(afterFailure == AfterFailure.CANCEL_REST ? 2 : 0);
    }

    @Test
    void aJobThatHasBegunGoesOnWhereTheRestIsCancelled() {
        enqueue("a", 3);
        claimed();
        fail(1);
        defer(2, "retry", 1);
        ready(2);
        enqueue("a", 1);
        rooms.execute("UPDATE rowlock.ready SET rank = -10 WHERE id = " + (before + 4));
        order(AfterFailure.CANCEL_REST);

        assertThat(claimed()).containsExactly(2L);
        end(2);
        assertThat(claimed()).containsExactly(4L);
        end(4);
        assertThat(claim.cancelRest().run(QUEUE, run(10).toCancel()).jobs()).isOne();
    }

    @Test
    void theRestIsNotCancelledIfTheRuleHasChangedSinceTheClaim() {
        order(AfterFailure.CANCEL_REST);
        enqueue("a", 3);
        claimed();
        fail(1);
        List<String> toCancel = run(10).toCancel();
        assertThat(toCancel).containsExactly("a");

        order(AfterFailure.CONTINUE);

        assertThat(claim.cancelRest().run(QUEUE, toCancel).jobs()).isZero();
    }

    @Test
    void theRestOfASkippedJobIsNotCancelled() {
        enqueue("a", 3);
        claimed();
        fail(1);
        skip("a");

        order(AfterFailure.CANCEL_REST);

        KeyedBatch batch = run(10);
        assertThat(batch.toCancel()).isEmpty();
        assertThat(ids(batch)).containsExactly(2L);
        assertThat(claim.cancelRest().run(QUEUE, List.of("a")).jobs()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aClaimDoesNotWalkOverFailedJobsThatHoldUpNobody(AfterFailure afterFailure) throws SQLException {
        long one = pagesOfAClaim(afterFailure, 1);
        long many = pagesOfAClaim(afterFailure, 12_000);

        assertThat(many).isLessThan(one + 6); // the tree of the index is higher; all entries are on ten pages
    }

    private long pagesOfAClaim(AfterFailure afterFailure, int skipped) throws SQLException {
        rooms.clear();
        order(AfterFailure.HOLD);
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, job_key, type)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'dead', '%s', 'a', 'send' FROM generate_series(1, %d)
                """.formatted(QUEUE, skipped));
        skip("a");
        rooms.execute("VACUUM rowlock.dead");
        order(afterFailure);
        enqueue("a", 2);
        try (ExplainedDatabase explained =
                new ExplainedDatabase(database, new Schema("rowlock"), Plans.AUTO).withFunctions()) {
            ClaimKeyedJobs claims = new ClaimKeyedJobs(explained.database(), Duration.ZERO);
            claimOne(claims);
            rooms.execute("DELETE FROM rowlock.running");
            int planned = explained.plans().size(); // the first claim reads catalogs, too

            claimOne(claims);

            return explained.plans().stream()
                    .skip(planned)
                    .map(PAGES::matcher)
                    .filter(Matcher::find)
                    .mapToLong(pages -> Long.parseLong(pages.group(1)))
                    .sum();
        }
    }

    private void claimOne(ClaimKeyedJobs claims) {
        assertThat(claims.run(QUEUE, Look.FIRST, 10, 0, Which.ALL, rooms.node(), null)
                        .batch()
                        .jobs())
                .hasSize(1);
    }

    private void skip(String key) {
        assertThat(new LimitStatements(rooms.database())
                        .skipDead(QUEUE, key, new AuditNote("ann", null, "skip", "queue", null)))
                .isPositive();
    }

    private void order(AfterFailure afterFailure) {
        limit(QueueLimit.of(QUEUE).inOrder(afterFailure));
    }

    private void end(long id) {
        rooms.execute("DELETE FROM rowlock.running WHERE id = " + (before + id));
    }

    private void fail(long id) {
        rooms.execute("""
                WITH failed AS (DELETE FROM rowlock.running WHERE id = %d RETURNING *)
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, job_key, type)
                SELECT id, now(), enqueued_at, rank, attempt, crashes, 'dead', queue, job_key, type FROM failed
                """.formatted(before + id));
    }

    /** From running or ready to waiting. */
    private void defer(long id, String reason, int attempt) {
        rooms.execute("""
                WITH begun AS (DELETE FROM rowlock.running WHERE id = %1$d RETURNING id, enqueued_at, rank, queue, job_key, type),
                     others AS (DELETE FROM rowlock.ready WHERE id = %1$d RETURNING id, enqueued_at, rank, queue, job_key, type)
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, attempt, reason, queue, job_key, type)
                SELECT id, now(), enqueued_at, rank, %3$d, '%2$s', queue, job_key, type FROM (TABLE begun UNION ALL TABLE others) AS moved
                """.formatted(before + id, reason, attempt));
    }

    /** From waiting to ready. */
    private void ready(long id) {
        rooms.execute("""
                WITH due AS (DELETE FROM rowlock.waiting WHERE id = %d RETURNING *)
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, attempt, crashes, queue, job_key, type, payload)
                SELECT id, now(), enqueued_at, rank, attempt, crashes, queue, job_key, type, '{}' FROM due
                """.formatted(before + id));
    }

    private List<Long> claimed() {
        return ids(run(10));
    }

    private List<Long> ids(KeyedBatch batch) {
        return batch.batch().jobs().stream()
                .map(job -> job.claim().jobId() - before)
                .toList();
    }
}
