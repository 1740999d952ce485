package dev.rowlock.queue.internal.gate;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.BlockedKey;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@PostgresTest(migrated = true)
@Representative
class SkipDeadJobsTest {

    private static final AuditNote NOTE = new AuditNote("ann", "known", "skip", "queue mail", "key a");

    private final TestDatabase test;
    private final Rooms rooms;
    private final LimitStatements skip;

    SkipDeadJobsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        skip = new LimitStatements(rooms.database());
        order(AfterFailure.HOLD);
    }

    @Test
    void theDeadJobsOfTheKeyAreSkippedAndNoOthers() {
        dead(QUEUE, "a", 3);
        dead(QUEUE, "b", 1);
        dead("print", "a", 1);

        assertThat(skip.skipDead(QUEUE, "a", NOTE)).isEqualTo(3);

        assertThat(blocked()).containsExactly("b");
        assertThat(rooms.number("SELECT count(*) FROM rowlock.dead WHERE last_job = 0"))
                .isEqualTo(3);
        assertThat(rooms.number("SELECT jobs FROM rowlock.audit WHERE who = 'ann' AND action = 'skip'"))
                .isEqualTo(3);
    }

    @Test
    void whereNoneHoldsUpTheKeyNothingIsWritten() {
        dead(QUEUE, "a", 1);
        skip.skipDead(QUEUE, "a", NOTE);

        assertThat(skip.skipDead(QUEUE, "a", NOTE)).isZero();
        assertThat(skip.skipDead(QUEUE, "b", NOTE)).isZero();

        assertThat(rooms.count("audit")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = "HOLD", mode = EnumSource.Mode.EXCLUDE)
    void whereFailedJobsHoldUpNobodyNoneIsSkipped(AfterFailure afterFailure) {
        order(afterFailure);
        dead(QUEUE, "a", 1);

        assertThat(skip.skipDead(QUEUE, "a", NOTE)).isZero();

        assertThat(rooms.number("SELECT count(*) FROM rowlock.dead WHERE last_job > 0"))
                .isEqualTo(1);
    }

    @Test
    void blockedKeysAreFoundBehindManyThatWereSkipped() {
        dead(QUEUE, "a", 100);
        dead(QUEUE, "b", 1);
        skip.skipDead(QUEUE, "a", NOTE);

        assertThat(new LimitStatements(rooms.database()).blockedKeys(QUEUE, 1))
                .extracting(BlockedKey::key)
                .containsExactly("b");
    }

    @Test
    void ofTwoAtOnceOneSkipsThem() throws SQLException {
        dead(QUEUE, "a", 2);

        try (Connection connection = test.unpooled().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT FROM rowlock.dead WHERE job_key = 'a' FOR UPDATE");
            CompletableFuture<Integer> second = CompletableFuture.supplyAsync(() -> skip.skipDead(QUEUE, "a", NOTE));
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
        return new LimitStatements(rooms.database())
                .blockedKeys(QUEUE, 10).stream().map(BlockedKey::key).toList();
    }

    private void order(AfterFailure afterFailure) {
        new DeclareLimits(rooms.database()).anew(List.of(QueueLimit.of(QUEUE).inOrder(afterFailure)), List.of(QUEUE));
    }

    private void dead(String queue, String key, int jobs) {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, job_key, type, payload)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'failed', '%s', '%s', 'send', '{}' FROM generate_series(1, %d)
                """.formatted(queue, key, jobs));
    }
}
