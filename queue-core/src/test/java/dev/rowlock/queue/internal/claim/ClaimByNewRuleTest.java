package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Keys;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.gate.LimitStatements;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A claim has only those parts of its statements that the queue's rule had when it was last seen. It notices others at once. */
@PostgresTest(migrated = true)
@Representative
class ClaimByNewRuleTest {

    private static final String OLD = "now() - interval '1 h'";

    private final Rooms rooms;
    private final ClaimKeyedJobs claim;
    private final long node;

    ClaimByNewRuleTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        claim = new ClaimKeyedJobs(rooms.database(), Duration.ZERO);
        node = rooms.node();
        assertThat(keys(run(10))).isEmpty(); // it has seen that there is no rule
    }

    @Test
    void aLimitOfTheQueueHolds() {
        rule("max_running", "2");
        enqueue("a", 3);
        rooms.ready(2);

        assertThat(run(10).batch().jobs()).hasSize(2);
        assertThat(run(10).batch().jobs()).isEmpty();
    }

    @Test
    void aRateOfTheQueueHolds() {
        rule("rate_jobs, rate_millis, rate_burst", "1, 3600000, 2");
        enqueue("a", 3);

        assertThat(keys(run(10))).hasSize(2);
        assertThat(run(10).untilRate()).isNotNull();
    }

    @Test
    void aRateOfKeysHolds() {
        rule("key_rate_jobs, key_rate_millis, key_rate_burst", "1, 3600000, 2");
        enqueue("a", 3);

        assertThat(keys(run(10))).hasSize(2);
        assertThat(keys(run(10))).isEmpty();
    }

    @Test
    void orderHolds() {
        rule("in_order", "'hold'");
        enqueue("a", 3);
        rooms.execute(
                "INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, reason, queue, job_key, type, payload) "
                        + "SELECT nextval('rowlock.job_id'), now() + interval '1 h', now(), 0, 'retry', 'mail', 'a', 'send', '{}'");

        assertThat(keys(run(10))).isEmpty();
    }

    @Test
    void placesAreLent() {
        rule("max_running_per_key, burst_per_key", "1, 3");
        enqueue("a", 3);

        assertThat(run(10).lends()).isTrue();
    }

    @Test
    void weightsCount() {
        rooms.execute("INSERT INTO rowlock.key_weight (queue, job_key, weight) VALUES ('mail', 'b', 3)");
        enqueue("a", 9);
        enqueue("b", 9);

        assertThat(keys(run(8))).containsExactly("a", "a", "b", "b", "b", "b", "b", "b");
    }

    /** The transaction that has set the rule stayed open for an hour. */
    @Test
    void whatRunsWhenARuleIsSeenForTheFirstTimeCountsHoweverOldItIs() {
        enqueue("a", 3);
        assertThat(keys(run(2))).hasSize(2);
        rule("max_running_per_key", "2");

        Keys withoutRule = new Keys(null, false, 0, Keys.NO_RULE, false);
        KeyedBatch batch = claim.run(QUEUE, Look.FIRST, withoutRule, 10, 0, Which.ALL, node, null);

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

            assertThat(keys(claim.run(QUEUE, Look.FIRST, seen, 10, 0, Which.ALL, node, null)))
                    .containsExactly("a");
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

    private KeyedBatch run(int limit) {
        return claim.run(QUEUE, Look.FIRST, limit, 0, Which.ALL, node, null);
    }

    private void enqueue(String key, int count) {
        rooms.large(IntStream.range(0, count)
                .mapToObj(i -> new NewJob(QUEUE, "send", 0, null, null, null, "{}", null, key, null))
                .toList());
    }

    private static List<String> keys(KeyedBatch batch) {
        return batch.batch().jobs().stream()
                .map(job -> job.key() == null ? "" : job.key())
                .sorted()
                .toList();
    }
}
