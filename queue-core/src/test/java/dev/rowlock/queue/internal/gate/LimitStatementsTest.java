package dev.rowlock.queue.internal.gate;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.BlockedKey;
import dev.rowlock.queue.gate.FullKey;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

@PostgresTest(migrated = true)
@Representative
class LimitStatementsTest {

    private static final AuditNote NOTE = new AuditNote("ann", "known", "skip", "queue mail", "key a");

    private final TestDatabase test;
    private final Rooms rooms;
    private final LimitStatements limits;

    LimitStatementsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        limits = new LimitStatements(rooms.database());
    }

    // Keys that are full

    @Test
    void keysAreFullWhoseLimitIsReachedWhileJobsAreReady() {
        limit(QueueLimit.of(QUEUE).maxRunningPerKey(2));
        enqueue("busy", 5);
        enqueue("busier", 9);
        enqueue("exactly", 2);
        enqueue("below", 1);
        claim();
        enqueue("below", 3); // nobody has claimed these yet

        assertThat(limits.fullKeys(QUEUE, 10))
                .containsExactly(new FullKey(QUEUE, "busier", 2, 2, 7), new FullKey(QUEUE, "busy", 2, 2, 3));
        assertThat(limits.fullKeys(QUEUE, 1)).extracting(FullKey::key).containsExactly("busier");
        assertThat(limits.fullKeys("other", 10)).isEmpty();
    }

    @Test
    void keysInOrderHaveRoomForOne() {
        limit(QueueLimit.of(QUEUE).inOrder(AfterFailure.HOLD));
        enqueue("account", 3);
        claim();

        assertThat(limits.fullKeys(QUEUE, 10)).containsExactly(new FullKey(QUEUE, "account", 1, 1, 2));
    }

    @Test
    void noKeyIsFullWhereOnlyTheQueueIsLimited() {
        limit(QueueLimit.of(QUEUE).maxRunning(1));
        enqueue("tenant", 3);
        claim();

        assertThat(limits.fullKeys(QUEUE, 10)).isEmpty();
    }

    private void limit(QueueLimit limit) {
        new DeclareLimits(rooms.database()).anew(List.of(limit), List.of(QUEUE));
    }

    private void enqueue(String key, int jobs) {
        rooms.ready(jobs);
        rooms.execute("UPDATE rowlock.ready SET job_key = '%s' WHERE job_key IS NULL".formatted(key));
    }

    private void claim() {
        new ClaimKeyedJobs(rooms.database(), Duration.ZERO)
                .run(QUEUE, Look.FIRST, 100, 0, Which.ALL, rooms.node(), null);
    }

    // Slow-downs

    /** Claims charge a rate under the lock of its gate. One that came between the lock and the row would write over the slow-down. */
    @Test
    void theLockOfTheGateIsHeldUntilTheSlowDownIsWritten() throws Exception {
        limit(QueueLimit.of(QUEUE).ratePerKey(Rate.perSecond(100)));
        CompletableFuture<?> writing;

        try (OpenTransaction blocking = new OpenTransaction(rooms.database())) {
            blocking.database()
                    .joined(connection ->
                            connection.createStatement().execute("LOCK TABLE rowlock.rate_state IN SHARE MODE"));
            writing = CompletableFuture.runAsync(() -> limits.slowDown(QUEUE, "a", Duration.ofHours(1), null));

            await().until(() -> !locksOfWaiting().isEmpty());
            assertThat(locksOfWaiting()).contains("advisory");
            blocking.rollback();
        }
        writing.get(30, TimeUnit.SECONDS);
    }

    private List<String> locksOfWaiting() {
        return rooms.database().alone(connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("""
                            SELECT l.locktype FROM pg_locks l
                             WHERE l.granted AND l.pid IN (SELECT w.pid FROM pg_locks w
                                                            WHERE NOT w.granted AND w.relation = 'rowlock.rate_state'::regclass)
                            """)) {
                List<String> types = new ArrayList<>();
                while (rows.next()) {
                    types.add(rows.getString(1));
                }
                return types;
            }
        });
    }

    // Jobs that run already

    @Test
    void jobsThatRunAlreadyCountAgainstANewLimitOfTheirQueue() {
        rooms.running(3);
        assertThat(limits.countRunning()).isZero();
        rooms.execute("INSERT INTO rowlock.queue_limit (queue, max_running) VALUES ('mail', 2)");

        assertThat(limits.countRunning()).isEqualTo(3);

        assertThat(rooms.number("SELECT count(*) FROM rowlock.running WHERE gate = ''"))
                .isEqualTo(3);
        assertThat(limits.countRunning()).isZero();
    }

    /** Its claims count them. */
    @Test
    void jobsOfAQueueWhoseLockSomebodyHasAreLeftAlone() throws SQLException {
        rooms.running(3);
        rooms.execute("UPDATE rowlock.running SET queue = 'other' WHERE id = (SELECT min(id) FROM rowlock.running)");
        rooms.execute("INSERT INTO rowlock.queue_limit (queue, max_running_per_key) VALUES ('mail', 2), ('other', 2)");

        try (OpenTransaction claiming = new OpenTransaction(rooms.database())) {
            JdbcClient.create(claiming.database().dataSource())
                    .sql("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))")
                    .param(LimitStatements.lock(rooms.database().schema(), "mail"))
                    .query()
                    .listOfRows();
            assertThat(limits.countRunning()).isOne();
        }

        assertThat(limits.countRunning()).isEqualTo(2);
    }

    @Test
    void anOldLimitHasCountedThemAll() {
        rooms.running(1);
        rooms.execute(
                "INSERT INTO rowlock.queue_limit (queue, max_running, changed_at) VALUES ('mail', 2, now() - interval '2 hours')");

        assertThat(limits.countRunning()).isZero();
    }

    // Failed jobs that are skipped

    @Test
    void theDeadJobsOfTheKeyAreSkippedAndNoOthers() {
        order(AfterFailure.HOLD);
        dead(QUEUE, "a", 3);
        dead(QUEUE, "b", 1);
        dead("print", "a", 1);

        assertThat(limits.skipDead(QUEUE, "a", NOTE)).isEqualTo(3);

        assertThat(blocked()).containsExactly("b");
        assertThat(rooms.number("SELECT count(*) FROM rowlock.dead WHERE last_job = 0"))
                .isEqualTo(3);
        assertThat(rooms.number("SELECT jobs FROM rowlock.audit WHERE who = 'ann' AND action = 'skip'"))
                .isEqualTo(3);
    }

    @Test
    void whereNoneHoldsUpTheKeyNothingIsWritten() {
        order(AfterFailure.HOLD);
        dead(QUEUE, "a", 1);
        limits.skipDead(QUEUE, "a", NOTE);

        assertThat(limits.skipDead(QUEUE, "a", NOTE)).isZero();
        assertThat(limits.skipDead(QUEUE, "b", NOTE)).isZero();

        assertThat(rooms.count("audit")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = "HOLD", mode = EnumSource.Mode.EXCLUDE)
    void whereFailedJobsHoldUpNobodyNoneIsSkipped(AfterFailure afterFailure) {
        order(afterFailure);
        dead(QUEUE, "a", 1);

        assertThat(limits.skipDead(QUEUE, "a", NOTE)).isZero();

        assertThat(rooms.number("SELECT count(*) FROM rowlock.dead WHERE last_job > 0"))
                .isEqualTo(1);
    }

    @Test
    void blockedKeysAreFoundBehindManyThatWereSkipped() {
        order(AfterFailure.HOLD);
        dead(QUEUE, "a", 100);
        dead(QUEUE, "b", 1);
        limits.skipDead(QUEUE, "a", NOTE);

        assertThat(limits.blockedKeys(QUEUE, 1)).extracting(BlockedKey::key).containsExactly("b");
    }

    @Test
    void ofTwoAtOnceOneSkipsThem() throws SQLException {
        order(AfterFailure.HOLD);
        dead(QUEUE, "a", 2);

        try (Connection connection = test.unpooled().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT FROM rowlock.dead WHERE job_key = 'a' FOR UPDATE");
            CompletableFuture<Integer> second = CompletableFuture.supplyAsync(() -> limits.skipDead(QUEUE, "a", NOTE));
            Awaitility.await()
                    .until(() -> rooms.number(
                                    "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")
                            > 0);
            statement.execute("UPDATE rowlock.dead SET last_job = 0 WHERE job_key = 'a'");
            connection.commit();

            assertThat(second).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(0);
        }
        assertThat(rooms.count("audit")).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void theyAreFoundByTheirKey(Plans plans) throws SQLException {
        order(AfterFailure.HOLD);
        rooms.execute(
                "ALTER TABLE rowlock.dead SET (autovacuum_enabled = off)"); // statistics come when they are told to
        for (int analyzed = 0; analyzed < 2; analyzed++) {
            rooms.execute("TRUNCATE rowlock.dead");
            dead(QUEUE, "other", 6_000);
            rooms.execute("UPDATE rowlock.dead SET job_key = 'key-' || id % 600");
            dead(QUEUE, "a", 1);
            try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), plans)) {
                new LimitStatements(explained.database()).skipDead(QUEUE, "a", NOTE);

                assertThat(explained.lastPlan())
                        .containsPattern("Index Scan using dead_by_key on dead .*actual rows=1")
                        .containsPattern("Index Scan (using|on) dead_pkey .*actual rows=1")
                        .doesNotContain("Seq Scan on dead", "dead_by_queue");
            }
            rooms.execute("ANALYZE rowlock.dead");
        }
    }

    private List<String> blocked() {
        return limits.blockedKeys(QUEUE, 10).stream().map(BlockedKey::key).toList();
    }

    private void order(AfterFailure afterFailure) {
        limit(QueueLimit.of(QUEUE).inOrder(afterFailure));
    }

    private void dead(String queue, String key, int jobs) {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, job_key, type, payload)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'dead', '%s', '%s', 'send', '{}' FROM generate_series(1, %d)
                """.formatted(queue, key, jobs));
    }
}
