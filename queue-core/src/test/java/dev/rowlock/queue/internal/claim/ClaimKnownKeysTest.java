package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Keys;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Known;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Claims by what a node knows of keys. */
@Representative
class ClaimKnownKeysTest extends KeyedQueue {

    ClaimKnownKeysTest(TestDatabase test) {
        super(test);
    }

    @Test
    void aKeysJobsAreLookedForBehindTheLastOne() {
        long[] ids = rooms.large(jobs("a", 5));

        assertThat(ids(run(Look.FIRST, 10, known("a", ids[2])))).containsExactly(ids[3], ids[4]);
        assertThat(ids(run(Look.FIRST, 10))).containsExactly(ids[0], ids[1], ids[2]);
    }

    @Test
    void aMoreUrgentJobStandsBeforeThem() {
        long[] ids = rooms.large(List.of(job("a", 0), job("a", -1), job("a", 1)));

        assertThat(ids(run(Look.FIRST, 10, known("a", ids[0])))).containsExactly(ids[2]);
    }

    @Test
    void whoAsksKnownKeysAloneFindsNoOthers() {
        limit(2);
        List.of("a", "b", "c", "d").forEach(key -> rooms.large(jobs(key, 5)));

        KeyedBatch batch =
                run(Look.FIRST, 20, only(false, Known.fromFront("b"), Known.fromFront("x"), Known.fromFront("d")));

        assertThat(keys(batch)).containsExactly("b", "b", "d", "d");
        assertThat(batch.next()).isNull();
        assertThat(run(Look.FIRST, 20, only(false, Known.fromFront("b"), Known.fromFront("d")))
                        .batch()
                        .jobs())
                .isEmpty(); // their limit
    }

    @Test
    void whoAsksKnownKeysAloneGoesOnBehindThemWhereThereAreMore() {
        long[] b = rooms.large(jobs("b", 5));
        rooms.large(jobs("d", 1));

        KeyedBatch all = run(Look.FIRST, 20, only(true, known("b", b[2]), known("c", 0)));
        assertThat(ids(all)).containsExactly(b[3], b[4]);
        assertThat(all.next()).isEqualTo(new Look("c", 0, true));
        KeyedBatch full = run(Look.FIRST, 2, only(true, known("b", 0), known("d", 0)));

        assertThat(keys(full)).containsExactly("b", "d");
        assertThat(full.next()).isEqualTo(new Look("d", 0, true));
        assertThat(run(Look.FIRST, 2, only(false)).next()).isNull();
    }

    @Test
    void aKeyThatHasNotHadItsTurnComesFirst() {
        long[] a = rooms.large(jobs("a", 4));
        rooms.large(jobs("b", 4));
        Look unfinished = new Look("a", 1, true);

        // b shares with as many keys as there might be: a round that goes on may have come to its end.
        assertThat(keys(run(unfinished, 4))).containsExactly("a", "b");
        assertThat(ids(run(unfinished, 2, known("a", a[2]), known("b", Long.MAX_VALUE))))
                .containsExactly(a[3]);
    }

    /** Where the server's encoding orders characters otherwise than this process. */
    @Test
    void keysThatAreNotInTheServersOrderCostNoKeyItsTurnAndNoLimit() {
        limit(2);
        List.of("a", "b", "c", "d").forEach(key -> rooms.large(jobs(key, 5)));

        KeyedBatch batch = run(Look.FIRST, 20, known("c", 0), known("a", 0), known("d", 0), known("b", 0));

        assertThat(keys(batch)).containsExactly("a", "a", "b", "b", "c", "c", "d", "d");
        assertThat(batch.next()).isNull();
    }

    @Test
    void aLimitCountsFromTheLowestTokenThatRuns() {
        limit(3);
        rooms.large(jobs("a", 9));
        KeyedBatch.Learned first = run(Look.FIRST, 2).learned();
        KeyedBatch.Learned second = run(Look.FIRST, 1).learned();

        assertThat(first.lowest()).isEmpty();
        assertThat(second.lowest())
                .containsOnly(entry("a", first.claimed().get("a").token()));
        assertThat(second.rule()).isNotNull();
        assertThat(ids(run(Look.FIRST, 9, at(second, first.claimed().get("a").token()))))
                .isEmpty();
    }

    @Test
    void whatWasLearnedUnderAnotherRuleSaysNothing() {
        limit(2);
        rooms.large(jobs("a", 9));
        KeyedBatch.Learned learned = run(Look.FIRST, 2).learned();
        Keys beyond = at(learned, Long.MAX_VALUE);
        rooms.execute("UPDATE rowlock.queue_limit SET changed_at = changed_at + interval '1 microsecond'");

        assertThat(ids(run(Look.FIRST, 9, beyond))).isEmpty();
    }

    @Test
    void aRuleThatIsYoungTeachesNoTokens() {
        limit(2);
        rooms.execute("UPDATE rowlock.queue_limit SET changed_at = now()");
        rooms.large(jobs("a", 9));

        KeyedBatch.Learned learned = run(Look.FIRST, 2).learned();

        assertThat(learned.rule()).isNull();
        assertThat(learned.seen()).isNotNull();
    }

    @Test
    void jobsThatRanBeforeARuleAreLookedForWhenItIsNewAndWhenAsked() {
        rooms.large(jobs("a", 9));
        run(Look.FIRST, 1);
        limit(3);
        rooms.execute("UPDATE rowlock.queue_limit SET changed_at = now()");
        Long rule = run(new Look("z", 0, true), 1).learned().seen();
        assertThat(counted()).isEqualTo(1);
        rooms.execute("UPDATE rowlock.running SET gate = NULL");

        claim.run(QUEUE, Look.FIRST, new Keys(null, false, 0, rule, false), 1, 0, ALL, node, null);
        assertThat(counted()).isEqualTo(1); // only its own
        claim.run(QUEUE, Look.FIRST, new Keys(null, false, 0, rule, true), 1, 0, ALL, node, null);

        assertThat(counted()).isEqualTo(3);
    }

    @Test
    void whileASnapshotIsHeldOnlyWhatIsLeftIsRead() throws Exception {
        limit(10);
        try (Connection holder = database.unpooled().getConnection();
                ExplainedDatabase explained =
                        new ExplainedDatabase(database, new Schema("rowlock"), Plans.GENERIC).withFunctions()) {
            holder.setAutoCommit(false);
            holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            holder.createStatement().execute("SELECT count(*) FROM rowlock.ready");
            rooms.large(jobs("a", 3_005));
            KeyedBatch last = null;
            for (int i = 0; i < 300; i++) {
                last = run(Look.FIRST, 10);
                rooms.execute("DELETE FROM rowlock.running");
            }
            KeyedBatch.Learned learned = last.learned();
            ClaimKeyedJobs of = new ClaimKeyedJobs(explained.database(), Duration.ZERO);

            of.run(QUEUE, Look.FIRST, at(learned, 1), 1, 0, ALL, node, null); // plans, and so reads catalogs
            of.run(QUEUE, Look.FIRST, Keys.WALK, 1, 0, ALL, node, null);
            int tokensOfOld =
                    buffers(explained, () -> of.run(QUEUE, Look.FIRST, at(learned, 1), 1, 0, ALL, node, null));
            long token = learned.claimed().get("a").token();
            int known = buffers(explained, () -> of.run(QUEUE, Look.FIRST, at(learned, token), 1, 0, ALL, node, null));
            int fromFront = buffers(explained, () -> of.run(QUEUE, Look.FIRST, Keys.WALK, 1, 0, ALL, node, null));

            // Of neighbours in one page, only the first counts.
            assertThat(known).isLessThan(60);
            assertThat(tokensOfOld).isGreaterThan(known + 50);
            assertThat(fromFront).isGreaterThan(tokensOfOld + 50);
        }
    }

    /** Of all statements of a claim but the last plan, which is that of the call as a whole. */
    private static int buffers(ExplainedDatabase explained, Runnable claim) {
        int before = explained.plans().size();
        claim.run();
        return explained.plans().stream()
                .skip(before)
                .mapToInt(ClaimKnownKeysTest::buffersOf)
                .sum();
    }

    private static int buffersOf(String plan) {
        Matcher whole = Pattern.compile("Buffers: shared hit=(\\d+)").matcher(plan);
        assertThat(whole.find()).isTrue();
        return Integer.parseInt(whole.group(1));
    }

    private static final Which ALL = Which.ALL;

    private Keys at(KeyedBatch.Learned learned, long token) {
        KeyedBatch.Claimed a = learned.claimed().get("a");
        return new Keys(List.of(new Known("a", a.rank(), a.id(), token)), false, 0, learned.rule(), false);
    }

    private long counted() {
        return rooms.number("SELECT count(*) FROM rowlock.running WHERE gate IS NOT NULL");
    }

    /** As if it had been there for a while. */
    private void limit(int perKey) {
        rooms.sql(
                        "INSERT INTO rowlock.queue_limit (queue, max_running_per_key, changed_at) VALUES (?, ?, now() - interval '1 h')")
                .params(QUEUE, perKey)
                .update();
    }

    private KeyedBatch run(Look turn, int limit, Known... known) {
        return run(turn, limit, known.length == 0 ? Keys.WALK : only(false, known));
    }

    private KeyedBatch run(Look turn, int limit, Keys known) {
        return run(turn, known, limit);
    }

    private static Keys only(boolean more, Known... known) {
        return new Keys(Arrays.asList(known), more, 0, Keys.ANY_RULE, true);
    }

    private static Known known(String key, long id) {
        return new Known(key, 0, id, 0);
    }

    private static List<Long> ids(KeyedBatch batch) {
        return batch.batch().jobs().stream().map(ClaimedJob::id).sorted().toList();
    }
}
