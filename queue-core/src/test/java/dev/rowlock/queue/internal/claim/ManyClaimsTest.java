package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.gate.DeclareLimits;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Claims of many queues at once. All transactions of a server share a table of locks: where that is full, nobody gets any. */
@PostgresTest(freshPerTest = true, migrated = true)
class ManyClaimsTest {

    private static final int KEYS = 1_000;

    private final Rooms rooms;
    private final ClaimKeyedJobs claim;
    private final long node;
    private final TestDatabase database;

    ManyClaimsTest(TestDatabase database) {
        this.database = database;
        rooms = Rooms.emptyIn(database);
        node = rooms.node();
        claim = new ClaimKeyedJobs(
                Rooms.in(database.unpooled(), new Schema("rowlock")).database(), Duration.ZERO);
    }

    @Test
    void claimsOfManyQueuesTogetherTakeHalfOfTheServersLocks() throws Exception {
        long locks = rooms.number("SELECT current_setting('max_locks_per_transaction')::int"
                + " * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int)");
        List<String> queues =
                IntStream.range(0, 10).mapToObj(number -> "queue" + number).toList();
        keys(queues);
        ExecutorService threads = Executors.newFixedThreadPool(queues.size());

        List<Future<KeyedBatch>> claims = new ArrayList<>();
        long held;
        try (Connection other = database.unpooled().getConnection();
                Statement statement = other.createStatement()) {
            claimsWaitFor(statement);
            queues.forEach(queue -> claims.add(threads.submit(() -> claim(queue))));
            Awaitility.await().until(() -> waiting(statement) + ended(claims) == queues.size());
            held = number(statement, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted");
        } finally {
            threads.shutdown();
        }

        assertThat(held).isBetween(locks / 4, locks / 2 + 100);
        List<KeyedBatch> batches = new ArrayList<>();
        for (Future<KeyedBatch> one : claims) {
            batches.add(one.get());
        }
        assertThat(batches.stream().filter(batch -> batch.stop() == Stop.OUT_OF_TURN))
                .hasSize(2); // they come again in a moment
    }

    @Test
    void aClaimOfFewKeysNeedsNoShare() throws SQLException {
        keys(List.of("queue0"));
        try (Connection other = database.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            statement.execute(
                    "SELECT pg_advisory_lock(hashtextextended('rowlock keys rowlock', n)) FROM generate_series(1, 1000) AS n");
            assertThat(claim("queue0").batch().jobs()).isEmpty();
            assertThat(claim.run("queue0", Look.FIRST, 20, 0, Which.ALL, node, null)
                            .batch()
                            .jobs())
                    .hasSize(20);
            statement.execute("SELECT pg_advisory_unlock_all()");
        }
        assertThat(claim("queue0").batch().jobs()).isNotEmpty();
    }

    private KeyedBatch claim(String queue) {
        return claim.run(queue, Look.FIRST, KEYS, 0, Which.ALL, node, null);
    }

    /** So many keys of each queue have a job, and one of each may run. */
    private void keys(List<String> queues) {
        new DeclareLimits(rooms.database())
                .anew(
                        queues.stream()
                                .map(queue -> QueueLimit.of(queue).maxRunningPerKey(1))
                                .toList(),
                        queues);
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, job_key, type)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 'queue' || q, 'key' || k, 'send'
                  FROM generate_series(0, %d) AS q, generate_series(1, %d) AS k""".formatted(queues.size() - 1, 2 * KEYS));
        claim(queues.get(0)); // learns how many locks there are
    }

    /** From now on a claim that has found jobs waits for as long as this statement's connection is open. */
    private void claimsWaitFor(Statement statement) throws SQLException {
        rooms.execute("""
                CREATE FUNCTION rowlock.wait() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM pg_advisory_xact_lock_shared(4711);
                    RETURN NULL;
                END $$""");
        rooms.execute(
                "CREATE TRIGGER wait AFTER INSERT ON rowlock.running FOR EACH ROW EXECUTE FUNCTION rowlock.wait()");
        statement.execute("SELECT pg_advisory_lock(4711)");
    }

    private static long ended(List<Future<KeyedBatch>> claims) {
        return claims.stream().filter(Future::isDone).count();
    }

    private static long waiting(Statement statement) throws SQLException {
        return number(statement, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
    }

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
