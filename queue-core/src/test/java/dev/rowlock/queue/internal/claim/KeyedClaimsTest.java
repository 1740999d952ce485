package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.gate.DeclareLimits;
import dev.rowlock.queue.internal.gate.LimitStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

@PostgresTest(migrated = true)
class KeyedClaimsTest {

    private final ClaimingNode node;
    private final Rooms rooms;
    private final Claimer claimer;

    KeyedClaimsTest(TestDatabase database) {
        node = new ClaimingNode(database);
        rooms = node.rooms();
        claimer = node.claimer();
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aJobWithAKeyDoesNotWaitForTheEndOfABacklogOfOthers() {
        long[] jobs = rooms.ready(8_000); // of none of them there is word
        rooms.execute("UPDATE rowlock.ready SET job_key = 'a' WHERE id = " + jobs[7_999]);

        claimer.claim();
        claimer.claim();

        assertThat(rooms.number("SELECT count(*) FROM rowlock.running WHERE job_key = 'a'"))
                .isOne();
        assertThat(rooms.count("ready")).isPositive();
    }

    /** Two claims, because in each other one keys come first. */
    @RepeatedTest(2)
    void aJobWithoutAKeyGetsThePlaceThatKeysCannotTake(RepetitionInfo repetition) {
        limit(QueueLimit.of(Rooms.QUEUE).maxRunning(2).maxRunningPerKey(1));
        ready(4, 1);
        IntStream.range(0, repetition.getCurrentRepetition()).forEach(i -> claimKeyed());
        rooms.ready(1);

        while (claimKeyed().isZero()) {}

        assertThat(rooms.sql("SELECT coalesce(job_key, 'none') FROM rowlock.running ORDER BY 1")
                        .query(String.class)
                        .list())
                .containsExactly("0", "none");
    }

    @Test
    void oneRefusedJobWithAKeyHoldsUpNoOther() {
        long[] jobs = ready(40, 4);
        node.refuse(jobs[4]);

        claimUntilRunning(39);

        assertThat(rooms.roomsOf(jobs[4])).containsExactly("ready");
        ready(8, 4);
        claimUntilRunning(47);
        assertThat(node.worker().held().tokens()).hasSize(47);
    }

    @Test
    void aRefusedJobTakesNoPlaceOfItsLimit() {
        limit(QueueLimit.of(Rooms.QUEUE).maxRunning(9).maxRunningPerKey(3));
        long[] jobs = ready(40, 4);
        node.refuse(jobs[0]);

        claimUntilRunning(9);

        for (int i = 0; i < 5; i++) {
            claimer.claim();
        }
        assertThat(rooms.count("running")).isEqualTo(9);
        assertThat(rooms.number(
                        "SELECT max(jobs) FROM (SELECT count(*) AS jobs FROM rowlock.running GROUP BY job_key) AS k"))
                .isEqualTo(3);
    }

    @Test
    void workflowsAreToldIfAClaimCancelsJobsOfTheirs() {
        limit(QueueLimit.of(Rooms.QUEUE).inOrder(AfterFailure.CANCEL_REST));
        long[] jobs = ready(8, 2);
        rooms.execute("""
                WITH failed AS (DELETE FROM rowlock.ready WHERE id IN (%d, %d) RETURNING *)
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, job_key, type, last_job)
                SELECT id, now(), enqueued_at, rank, 1, 0, 'dead', queue, job_key, type, %d FROM failed
                """.formatted(jobs[0], jobs[1], jobs[3]));

        claimUntilRunning(2);
        assertThat(rooms.roomsOf(jobs[2])).containsExactly("done");
        assertThat(node.wakeups().heard()).doesNotContain("attention");

        rooms.execute("UPDATE rowlock.dead SET last_job = " + jobs[7]);
        rooms.execute("UPDATE rowlock.ready SET headers = '{\"rowlock-workflow\":\"7\"}' WHERE id = " + jobs[7]);
        rooms.execute("DELETE FROM rowlock.running");
        claimer.claim();

        assertThat(rooms.roomsOf(jobs[7])).containsExactly("done");
        assertThat(node.wakeups().heard()).contains("attention");
    }

    @Test
    void aRefusedJobInStrictOrderHoldsUpItsKeyOnly() {
        limit(QueueLimit.of(Rooms.QUEUE).inOrder(AfterFailure.HOLD));
        long[] jobs = ready(40, 4);
        node.refuse(jobs[0]);

        claimUntilRunning(3);
        for (int i = 0; i < 5; i++) {
            claimer.claim();
        }

        assertThat(rooms.count("running")).isEqualTo(3);
        assertThat(rooms.number("SELECT count(*) FROM rowlock.running WHERE job_key = '0'"))
                .isZero();
    }

    @Test
    void whatAPolicyKeepsOfAClaimGivesUpItsPlacesOfALimit() {
        AtomicInteger told = new AtomicInteger();
        node.worker().whenGateHasRoom(key -> told.incrementAndGet(), ClaimedJob::counted);
        limit(QueueLimit.of(Rooms.QUEUE).maxRunning(9));
        ready(2, 2);
        claimUntilRunning(2);
        assertThat(told).hasValue(0);

        node.keepClaimed();
        ready(2, 2);
        claimUntilRunning(4);

        assertThat(told).hasPositiveValue();
        assertThat(node.worker().held().tokens()).hasSize(2);
    }

    @Test
    void aKeyOfWhichThereIsWordComesAmongThoseThatBringJobsInEachRound() {
        ready(9_000, 2);
        for (int i = 0; i < 5; i++) { // the last ones ask those keys alone
            claimer.claim();
        }
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, job_key, type)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, queue, '0-new', type FROM rowlock.ready LIMIT 1""");

        claimer.keyed().heardOf("0-new");
        claimer.claim();
        claimer.claim();

        assertThat(rooms.number("SELECT count(*) FROM rowlock.running WHERE job_key = '0-new'"))
                .isOne();
        assertThat(rooms.count("ready")).isPositive();
    }

    /** A round through all keys takes several claims. */
    @Test
    void aFreeKeyOfWhichThereIsWordDoesNotWaitForARoundThroughKeysThatCannotRun() {
        limit(QueueLimit.of(Rooms.QUEUE).maxRunningPerKey(1));
        ready(4_000, 2_000);
        claimUntilRunning(2_000);
        Awaitility.await().until(() -> !claimer.claim().isZero());
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, job_key, type)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, queue, 'new', type FROM rowlock.ready LIMIT 1""");

        claimer.keyed().heardOf("new");
        claimer.claim();
        assertThat(running("new")).isOne();

        rooms.execute("DELETE FROM rowlock.running WHERE job_key = '777'");
        claimer.keyed().countedJobEnded("777");
        claimer.claim();

        assertThat(running("777")).isOne();
    }

    private long running(String key) {
        return rooms.number("SELECT count(*) FROM rowlock.running WHERE job_key = '" + key + "'");
    }

    @Test
    void nobodyBorrowsBeforeThereWasALookForAllKeys() {
        limit(QueueLimit.of(Rooms.QUEUE).maxRunningPerKey(2).burstPerKey(4));
        ready(40, 2);
        claimKeyed();
        rooms.execute("DELETE FROM rowlock.running");
        claimKeyed();
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, job_key, type)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, queue, 'new', type FROM rowlock.ready LIMIT 1""");

        claimKeyed(); // of those that have brought jobs, which are at their limits
        claimKeyed();

        assertThat(rooms.sql("SELECT job_key FROM rowlock.running ORDER BY 1")
                        .query(String.class)
                        .list())
                .containsExactly("0", "0", "1", "1", "new");
    }

    private Duration claimKeyed() {
        return claimer.keyed().claim(List.of(), node.view().nodeId(), batch -> true);
    }

    @Test
    void aSmallClaimFollowsALargeOneThatRanOutOfTime() {
        ready(400, 4);
        rooms.execute("""
                CREATE FUNCTION public.out_of_time() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF (SELECT count(*) FROM claimed) > 150 THEN
                        RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014';
                    END IF;
                    RETURN NULL;
                END $$""");
        rooms.execute("""
                CREATE TRIGGER out_of_time AFTER INSERT ON rowlock.running REFERENCING NEW TABLE AS claimed
                FOR EACH STATEMENT EXECUTE FUNCTION public.out_of_time()""");
        try {
            assertThatThrownBy(this::claimTenTimes).hasStackTraceContaining("statement timeout");
            Awaitility.await().until(() -> {
                try {
                    claimer.claim();
                } catch (RuntimeException e) {
                    assertThat(e).hasStackTraceContaining("statement timeout");
                }
                return rooms.count("running") == 400;
            });
        } finally {
            rooms.execute("DROP TRIGGER out_of_time ON rowlock.running");
            rooms.execute("DROP FUNCTION public.out_of_time()");
        }
    }

    /** Otherwise those in front would have a turn each time that others are claiming, and those at the end none. */
    @Test
    void aNodeThatIsRefusedATurnGoesOnWithTheKeysBehind() throws SQLException {
        oldLimit(QueueLimit.of(Rooms.QUEUE).maxRunningPerKey(5));
        ready(1_000, 1_000);
        assertThat(claimKeyed()).isZero();
        List<String> first = runningKeys();
        first.forEach(key ->
                rooms.execute("UPDATE rowlock.ready SET job_key = '" + key + "' WHERE id = " + rooms.ready(1)[0]));

        try (OpenTransaction one = claiming(0);
                OpenTransaction other = claiming(1)) {
            claimKeyed();
            assertThat(runningKeys()).isEqualTo(first);
        }
        assertThat(claimKeyed()).isZero();

        assertThat(runningKeys()).hasSizeGreaterThan(first.size()).hasSize((int) rooms.count("running"));
    }

    @Test
    void aNodeThatIsRefusedTurnsOfABacklogWaitsLonger() throws SQLException {
        oldLimit(QueueLimit.of(Rooms.QUEUE).maxRunningPerKey(5));
        ready(400, 400);
        assertThat(claimKeyed()).isZero();

        try (OpenTransaction one = claiming(0);
                OpenTransaction other = claiming(1)) {
            assertThat(claimKeyed()).isZero(); // it has waited
            assertThat(claimKeyed()).isPositive();
        }
        claimKeyed();
        try (OpenTransaction one = claiming(0);
                OpenTransaction other = claiming(1)) {
            assertThat(claimKeyed()).isZero();
        }
    }

    @Test
    void aNodeClaimsFromABacklogAlsoIfThoseWhoHaveItsTurnsAreStuck() throws SQLException {
        oldLimit(QueueLimit.of(Rooms.QUEUE).maxRunningPerKey(5));
        ready(400, 400);
        assertThat(claimKeyed()).isZero();
        int first = runningKeys().size();

        try (OpenTransaction one = claiming(0);
                OpenTransaction other = claiming(1)) {
            Awaitility.await().until(() -> {
                claimKeyed();
                return runningKeys().size() > first;
            });
        }
    }

    private List<String> runningKeys() {
        return rooms.sql("SELECT DISTINCT job_key FROM rowlock.running ORDER BY 1")
                .query(String.class)
                .list();
    }

    /** Somebody else has this turn. */
    private OpenTransaction claiming(int turn) throws SQLException {
        OpenTransaction transaction = new OpenTransaction(rooms.database());
        JdbcClient.create(transaction.database().dataSource())
                .sql("SELECT pg_advisory_xact_lock(hashtextextended(?, ?))")
                .params(LimitStatements.lock(rooms.database().schema(), Rooms.QUEUE), turn + 1)
                .query()
                .listOfRows();
        return transaction;
    }

    private void claimTenTimes() {
        for (int i = 0; i < 10; i++) {
            claimer.claim();
        }
    }

    private void claimUntilRunning(int jobs) {
        Awaitility.await().until(() -> {
            claimer.claim();
            return rooms.count("running") == jobs;
        });
    }

    /** Job {@code i} has the key {@code i} modulo the number of keys. */
    private long[] ready(int jobs, int keys) {
        long[] ids = rooms.ready(jobs);
        long first = LongStream.of(ids).min().orElseThrow();
        rooms.execute("UPDATE rowlock.ready SET job_key = ((id - %d) %% %d)::text WHERE job_key IS NULL"
                .formatted(first, keys));
        claimer.keyed().heard();
        return ids;
    }

    /** So old that nobody looks any more for jobs from before it. */
    private void oldLimit(QueueLimit limit) {
        limit(limit);
        rooms.execute("UPDATE rowlock.queue_limit SET changed_at = now() - interval '1 h'");
    }

    private void limit(QueueLimit limit) {
        new DeclareLimits(rooms.database()).anew(List.of(limit), List.of(Rooms.QUEUE));
    }
}
