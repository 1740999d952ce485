package dev.rowlock.queue;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What explanations say of bursts, rates, slow-downs and policies. */
@PostgresTest(migrated = true)
class JobSearchExplainGatesTest {

    private static final String TIME = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC";

    private final Rooms rooms;
    private final JobSearch search;
    private final long node;

    JobSearchExplainGatesTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database());
        node = rooms.node();
        rooms.execute("DELETE FROM rowlock.pause");
        clear();
    }

    @AfterEach
    void clear() {
        rooms.execute("DELETE FROM rowlock.queue_limit");
        rooms.execute("DELETE FROM rowlock.rate_state");
        rooms.execute("DELETE FROM rowlock.policy");
        rooms.execute("DELETE FROM rowlock.pause");
    }

    private List<Reason> reasons(long id) {
        return search.explain(id).orElseThrow().reasons();
    }

    private String text(long id, Kind kind) {
        return reasons(id).stream()
                .filter(reason -> reason.kind() == kind)
                .map(Reason::text)
                .reduce("", String::concat);
    }

    private long keyed(String key) {
        rooms.large(List.of(new NewJob(QUEUE, "send", 0, null, null, null, "{}", null, key, null)));
        return rooms.number("SELECT max(id) FROM rowlock.ready");
    }

    private void claim(Look turn) {
        new ClaimKeyedJobs(rooms.database(), Duration.ZERO).run(QUEUE, turn, 10, 0, Which.ALL, node, null);
    }

    private void limit(String columns, String values) {
        rooms.execute("INSERT INTO rowlock.queue_limit (queue, %s) VALUES ('mail', %s)".formatted(columns, values));
    }

    private void rate(String gate, String nextIn, String heldFor) {
        rooms.execute("""
                INSERT INTO rowlock.rate_state (queue, gate, number, next_at, held_until)
                SELECT 'mail', '%s', 1, now + %s, now + %s FROM CAST(extract(epoch FROM clock_timestamp()) AS double precision) AS now
                """.formatted(gate, nextIn, heldFor));
    }

    private void completed(int jobs, int secondsAgo) {
        rooms.execute("""
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type, job_key)
                SELECT 1000 + n, clock_timestamp() - %d * interval '1 s', now(), 0, 1, 0, 'completed', 'mail', 'send', 'a' FROM generate_series(1, %d) n
                """.formatted(secondsAgo, jobs));
    }

    @Test
    void aBurstSaysHowManyPlacesMayBeBorrowedAndWhetherAnyIsIdle() {
        limit("max_running_per_key, burst_per_key", "2, 4");
        long[] ids = IntStream.range(0, 5).mapToLong(i -> keyed("a")).toArray();
        claim(Look.FIRST);

        assertThat(text(ids[4], Kind.KEY_BURST))
                .isEqualTo(
                        "2 jobs of its key run (%d, %d), which is its limit. It may borrow up to 2 more places when nobody else wants them; 8 are idle now."
                                .formatted(ids[0], ids[1]));

        rooms.execute("UPDATE rowlock.node SET slots = '{2}'");
        assertThat(text(ids[4], Kind.KEY_BURST)).endsWith("when nobody else wants them; none is idle now.");

        rooms.execute("UPDATE rowlock.node SET slots = '{9}'");
        rooms.execute("UPDATE rowlock.queue_limit SET max_running = 3");
        assertThat(text(ids[4], Kind.KEY_BURST)).endsWith("when nobody else wants them; 1 is idle now.");

        rooms.execute("UPDATE rowlock.node SET slots = NULL");
        assertThat(text(ids[4], Kind.KEY_BURST)).endsWith("when nobody else wants them.");
    }

    @Test
    void aKeyThatHasBorrowedIsSaidToBeAboveItsLimit() {
        limit("max_running_per_key, burst_per_key", "1, 3");
        long[] ids = IntStream.range(0, 3).mapToLong(i -> keyed("a")).toArray();
        claim(Look.FIRST);
        claim(Look.FIRST.borrowing());
        rooms.execute("UPDATE rowlock.queue_limit SET burst_per_key = 4");
        long last = keyed("a");

        assertThat(text(last, Kind.KEY_BURST))
                .startsWith(
                        "3 jobs of its key run (%d, %d, %d), and its limit is 1. It may borrow 1 more place when nobody else wants it; "
                                .formatted(ids[0], ids[1], ids[2]));
    }

    @Test
    void aFullQueueIsNamedWithTheJobsThatFillIt() {
        limit("max_running", "2");
        long keyed = keyed("a");
        long plain = rooms.ready();
        claim(Look.FIRST);
        String full = "2 jobs of queue 'mail' run (%d, %d), and its limit is 2.";

        for (long waiting : new long[] {keyed("a"), keyed("b"), rooms.ready()}) {
            assertThat(text(waiting, Kind.QUEUE_FULL)).isIn(full.formatted(keyed, plain), full.formatted(plain, keyed));
        }
    }

    @Test
    void ofManyJobsThatFillAQueueTenAreNamed() {
        limit("max_running", "12");
        IntStream.range(0, 12).forEach(i -> keyed("a"));
        claim(Look.FIRST);
        claim(Look.FIRST);
        List<Long> first = rooms.sql("SELECT id FROM rowlock.running ORDER BY token LIMIT 10")
                .query(Long.class)
                .list();
        rooms.execute("UPDATE rowlock.queue_limit SET max_running = 11");

        assertThat(text(keyed("b"), Kind.QUEUE_FULL))
                .isEqualTo("12 jobs of queue 'mail' run (%s and 2 more), and its limit is 11."
                        .formatted(first.stream().map(String::valueOf).collect(Collectors.joining(", "))));
    }

    @Test
    void aRateIsNamedAsInConfiguration() {
        limit(
                "rate_jobs, rate_millis, rate_burst, key_rate_jobs, key_rate_millis, key_rate_burst",
                "100, 60000, 100, 5, 15000, 1");
        rate("", "60", "NULL");
        rate("a", "2.95", "NULL");

        assertThat(reasons(keyed("a")).stream().map(Reason::text))
                .satisfiesExactly(
                        queue -> assertThat(queue)
                                .matches(
                                        "The rate of its queue, 100/min burst 100, allows the next job in 0\\.[0-6] s\\."),
                        key -> assertThat(key)
                                .matches("The rate of its key, 5/15s, allows the next job in 2\\.[0-9] s\\."));
    }

    @Test
    void aSlowDownIsNoRateThatIsUsedUp() {
        limit(
                "rate_jobs, rate_millis, rate_burst, key_rate_jobs, key_rate_millis, key_rate_burst",
                "5, 1000, 1, 5, 1000, 1");
        rate("", "0", "3600");
        rate("a", "0", "300");

        assertThat(reasons(keyed("a")).stream().map(Reason::text))
                .satisfiesExactly(
                        queue -> assertThat(queue)
                                .matches(
                                        "Queue 'mail' is slowed down until " + TIME + ", for another 3[56]\\d\\d s\\."),
                        key -> assertThat(key)
                                .matches("Key 'a' of queue 'mail' is slowed down until " + TIME
                                        + ", for another (300|[12]\\d\\d) s\\."));
    }

    /** Nothing begins for 100 s, and of ten jobs before it one each 20 s; the pace of jobs that ran before that says nothing. */
    @Test
    void anEstimateIsNotShorterThanTheRateAndTheSlowDownAllow() {
        limit("key_rate_jobs, key_rate_millis, key_rate_burst", "3, 60000, 1");
        rate("a", "0", "100");
        IntStream.range(0, 10).forEach(i -> keyed("a"));
        long id = keyed("a");

        assertThat(text(id, Kind.BEHIND_OTHERS))
                .matches("10 jobs of its key come before it; it can begin in (300|29\\d) s at the earliest\\.");

        completed(1_000, 30);
        assertThat(text(id, Kind.BEHIND_OTHERS)).contains("at the earliest");

        rooms.execute("UPDATE rowlock.queue_limit SET key_rate_jobs = 3000000, key_rate_burst = 1000");
        assertThat(text(id, Kind.BEHIND_OTHERS))
                .isEqualTo(
                        "10 jobs of its key come before it; after the slow-down, at the pace of the last minute they take 1 s.");
    }

    @Test
    void otherKeysWithWhichItsKeyTakesTurnsAreCounted() {
        long id = keyed("m");
        assertThat(reasons(id)).extracting(Reason::kind).containsExactly(Kind.NEXT);

        keyed("z");
        assertThat(text(id, Kind.BEHIND_OTHERS))
                .isEqualTo("Its key takes turns with 1 other key of its queue that has jobs ready.");

        IntStream.range(0, 30).forEach(i -> keyed("key-" + i % 15));
        assertThat(text(id, Kind.BEHIND_OTHERS))
                .isEqualTo("Its key takes turns with 16 other keys of its queue that have jobs ready.");

        IntStream.range(0, 120).forEach(i -> keyed("more-" + i));
        assertThat(text(id, Kind.BEHIND_OTHERS))
                .isEqualTo("Its key takes turns with at least 100 other keys of its queue that have jobs ready.");
    }

    @Test
    void aRateSaysNothingOfHowLongJobsTakeThatALimitHoldsUp() {
        limit("max_running, key_rate_jobs, key_rate_millis, key_rate_burst", "1, 3, 60000, 1");
        keyed("a");

        assertThat(text(keyed("a"), Kind.BEHIND_OTHERS)).isEqualTo("1 job of its key comes before it.");
    }

    private void pause(String type) {
        rooms.execute(
                "INSERT INTO rowlock.pause (kind, name, paused_at, who, why) VALUES ('type', '%s', now(), 'ann', 'a bug')"
                        .formatted(type));
    }

    /** It goes first whatever its priority, because it has begun. */
    @Test
    void aJobOfAPausedTypeThatHasBegunIsSaidToHoldUpItsKey() {
        limit("in_order", "'hold'");
        long first = keyed("a");
        long second = keyed("a");
        rooms.execute("UPDATE rowlock.ready SET type = 'print', attempt = 1, rank = 5 WHERE id = " + first);

        assertThat(reasons(second))
                .containsExactly(new Reason(Kind.BEHIND_OTHERS, "1 job of its key comes before it."));

        pause("print");
        assertThat(text(second, Kind.KEY_HELD))
                .matches("Jobs of a key run in order, and job " + first
                        + " of its key comes first, whose type 'print' has been paused since " + TIME
                        + " by ann \\(a bug\\): resume the type, or cancel that job\\.");
        assertThat(reasons(second).stream().map(Reason::kind)).containsExactly(Kind.KEY_HELD, Kind.BEHIND_OTHERS);
        assertThat(reasons(first).stream().map(Reason::kind)).containsExactly(Kind.PAUSED);
    }

    @Test
    void aJobOfAPausedTypeThatIsFirstInItsKeyIsSaidToHoldItUp() {
        limit("in_order", "'hold'");
        long first = keyed("a");
        long second = keyed("a");
        long other = keyed("b");
        rooms.execute("UPDATE rowlock.ready SET type = 'print' WHERE id = " + first);
        pause("print");

        assertThat(text(second, Kind.KEY_HELD)).contains("job " + first + " of its key comes first");
        assertThat(reasons(other).stream().map(Reason::kind)).containsExactly(Kind.BEHIND_OTHERS); // keys take turns

        rooms.execute("DELETE FROM rowlock.queue_limit");
        assertThat(reasons(second).stream().map(Reason::kind)).containsOnly(Kind.BEHIND_OTHERS);
    }

    @Test
    void theJobThatHasBegunIsTheNextOneOfItsKey() {
        limit("in_order", "'hold'");
        keyed("a");
        long begun = keyed("a");
        rooms.execute("UPDATE rowlock.ready SET attempt = 1 WHERE id = " + begun);

        assertThat(reasons(begun).stream().map(Reason::kind)).containsExactly(Kind.NEXT);
    }

    private long held(String askedAgo, String decidesFor) {
        long id = rooms.ready();
        rooms.execute("""
                WITH taken AS (DELETE FROM rowlock.ready WHERE id = %d RETURNING *)
                INSERT INTO rowlock.waiting (due_at, reason, id, enqueued_at, rank, attempt, crashes, queue, type, payload)
                SELECT now() + interval '1 h', 'policy', id, enqueued_at, rank, attempt, crashes, queue, type, payload FROM taken
                """.formatted(id));
        rooms.execute("""
                INSERT INTO rowlock.policy (queue, node_id, asked_at, decides_until)
                SELECT 'mail', %d, now - interval '%s', now + interval '%s' FROM clock_timestamp() AS now
                """.formatted(node, askedAgo, decidesFor));
        return id;
    }

    @Test
    void aPolicyThatAnswersIsSaidToHaveNotChosenTheJob() {
        long id = held("1 s", "9 s");

        assertThat(text(id, Kind.POLICY))
                .matches(
                        "The policy of queue 'mail', asked by node 'node', has not chosen it yet; it last answered [1-8]\\.\\d s ago\\.");
    }

    @Test
    void aPolicyWithoutGoodAnswersIsSaidToBePassedOverSoon() {
        long id = held("0 s", "8 s");

        assertThat(text(id, Kind.POLICY))
                .matches("The policy of queue 'mail', asked by node 'node', has given no good answer since " + TIME
                        + "; at " + TIME + " its jobs go on without it\\.");
        assertThat(
                        rooms.number(
                                "SELECT count(*) FROM rowlock.waiting w JOIN rowlock.policy p ON p.decides_until < w.due_at - interval '30 min'"))
                .isOne();

        rooms.execute("UPDATE rowlock.policy SET decides_until = clock_timestamp() - interval '5 s'");
        assertThat(text(id, Kind.POLICY))
                .matches(".* has given no good answer since " + TIME + ": its jobs go on without it\\.");
    }

    @Test
    void aPolicyThatNobodyAsksIsSaidToBeSo() {
        long id = held("1 s", "9 s");

        rooms.execute("UPDATE rowlock.node SET heartbeat_at = now() - interval '1 h'");
        assertThat(text(id, Kind.POLICY))
                .startsWith("The policy of queue 'mail', which no node asks now, has given no good answer since ");

        limit("in_order", "'hold'");
        assertThat(text(id, Kind.POLICY)).contains("is not asked, because the jobs of each key run in order");

        rooms.execute("DELETE FROM rowlock.policy");
        assertThat(text(id, Kind.POLICY)).contains("No node has the policy of queue 'mail' any more");
    }
}
