package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Keys;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.gate.LimitStatements;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What runs already counts against a rule that a claim sees for the first time, and a rule that is gone holds nothing. */
@Representative
class ClaimByNewRuleTest extends KeyedQueue {

    private static final String OLD = "now() - interval '1 h'";

    ClaimByNewRuleTest(TestDatabase database) {
        super(database);
        assertThat(keys(run(10))).isEmpty(); // it has seen that there is no rule
    }

    /** The transaction that has set the rule stayed open for an hour. */
    @Test
    void whatRunsWhenARuleIsSeenForTheFirstTimeCountsHoweverOldItIs() {
        enqueue("a", 3);
        assertThat(keys(run(2))).hasSize(2);
        rule("max_running_per_key", "2");

        Keys withoutRule = new Keys(null, false, 0, Keys.NO_RULE, false);
        KeyedBatch batch = run(Look.FIRST, withoutRule, 10);

        assertThat(keys(batch)).isEmpty();
        assertThat(batch.learned().rule()).isNull();
    }

    /** So does a handler that saves checkpoints in its own transaction. */
    @Test
    void whatRunsCountsAlsoIfAnOpenTransactionSharesItsRow() throws SQLException {
        enqueue("a", 2);
        assertThat(keys(run(1))).containsExactly("a");
        youngRule("max_running_per_key", "1");

        try (OpenTransaction handler = new OpenTransaction(rooms.database())) {
            handler.database()
                    .joined(connection -> ColdStatement.on(
                                    connection, handler.database().sql("SELECT id FROM rowlock.running FOR KEY SHARE"))
                            .list(row -> row.getLong(1)));

            assertThat(keys(run(10))).isEmpty();
        }
    }

    /** Each passes over what the other one is counting. */
    @Test
    void whatRunsCountsAlsoIfTwoSeeANewRuleAtTheSameTime() throws SQLException {
        enqueue("a", 2);
        assertThat(keys(run(1))).containsExactly("a");
        youngRule("max_running_per_key", "1");

        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            Look ofOtherKeys = new Look("z", 0, true);
            new ClaimKeyedJobs(other.database(), Duration.ZERO).run(QUEUE, ofOtherKeys, 10, 0, Which.ALL, node, null);
            assertThat(keys(run(10))).isEmpty();
            other.commit();
        }

        KeyedBatch after = run(10);
        assertThat(after.stop()).isNotEqualTo(Stop.OUT_OF_TURN);
        assertThat(keys(after)).isEmpty();
    }

    @Test
    void orderHoldsAlsoIfTheChoreSeesItFirst() throws SQLException {
        enqueue("a", 2);
        assertThat(keys(run(1))).containsExactly("a");
        youngRule("in_order", "'hold'");

        try (OpenTransaction chore = new OpenTransaction(rooms.database())) {
            assertThat(new LimitStatements(chore.database()).countRunning()).isOne();
            assertThat(keys(run(10))).isEmpty();
            chore.commit();
        }

        assertThat(keys(run(10))).isEmpty();
    }

    /** They do not wait for those who count once more. */
    @Test
    void whoHasSeenARuleClaimsBesideSomebodyWhoSeesItForTheFirstTime() throws SQLException {
        youngRule("max_running_per_key", "1");
        Keys seen = new Keys(
                null, false, 0, Objects.requireNonNull(run(10).learned().seen()), false);
        enqueue("a", 1);

        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            new ClaimKeyedJobs(other.database(), Duration.ZERO)
                    .run(QUEUE, new Look("z", 0, true), 10, 0, Which.ALL, node, null);

            assertThat(keys(run(Look.FIRST, seen, 10))).containsExactly("a");
        }
    }

    @Test
    void aRuleThatIsGoneHoldsNothing() {
        rule("max_running, key_rate_jobs, key_rate_millis, key_rate_burst", "2, 1, 3600000, 1");
        enqueue("a", 3);
        assertThat(keys(run(10))).hasSize(1);

        rooms.execute("DELETE FROM rowlock.queue_limit");

        assertThat(keys(run(10))).hasSize(2);
    }

    private void rule(String columns, String values) {
        rule(OLD, columns, values);
    }

    private void youngRule(String columns, String values) {
        rule("now()", columns, values);
    }

    private void rule(String changedAt, String columns, String values) {
        rooms.execute("INSERT INTO rowlock.queue_limit (queue, changed_at, " + columns + ") VALUES ('mail', "
                + changedAt + ", " + values + ")");
    }
}
