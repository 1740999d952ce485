package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a claim goes on that could not give a job to each key. */
class TurnsOfClaimsTest extends KeyedQueue {

    TurnsOfClaimsTest(TestDatabase database) {
        super(database);
    }

    static Stream<QueueLimit> oneAtATime() {
        return Stream.of(
                QueueLimit.of(QUEUE).maxRunning(1),
                QueueLimit.of(QUEUE).rate(new Rate(1, Duration.ofHours(1), 1)),
                QueueLimit.of(QUEUE).maxRunning(1).maxRunningPerKey(1));
    }

    /** The node asks for four each time. */
    @ParameterizedTest
    @MethodSource("oneAtATime")
    void keysTakeTurnsInAQueueThatHasRoomForOneJob(QueueLimit limit) {
        limit(limit);
        enqueue(3, 10);

        List<String> got = new ArrayList<>();
        Look turn = Look.FIRST;
        for (int i = 0; i < 7; i++) {
            KeyedBatch batch = run(turn, 4);
            got.addAll(keys(batch));
            turn = next(batch);
            KeyedBatch full = run(turn, 4);
            assertThat(full.batch().jobs()).isEmpty();
            assertThat(full.stop()).isEqualTo(Stop.QUEUE_FULL);
            turn = next(full);
            rooms.execute("DELETE FROM rowlock.running");
            rooms.execute("DELETE FROM rowlock.rate_state");
        }

        assertThat(got).containsExactly("key-00", "key-01", "key-02", "key-00", "key-01", "key-02", "key-00");
    }

    @Test
    void aClaimThatOthersDoNotLetInGoesOnAtItsPlace() throws SQLException {
        limit(QueueLimit.of(QUEUE).maxRunning(9));
        enqueue(3, 10);
        Look turn = next(run(Look.FIRST, 1));

        KeyedBatch outside;
        try (Connection other = database.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(hashtextextended('rowlock gate rowlock mail ', 0))");
            outside = run(turn, 1);
            statement.execute("SELECT pg_advisory_unlock_all()");
        }

        assertThat(outside.batch().jobs()).isEmpty();
        assertThat(outside.stop()).isEqualTo(Stop.OUT_OF_TURN);
        assertThat(keys(run(next(outside), 1))).containsExactly("key-01");
    }

    /** The last claim of a round finds fewer keys than it is for. */
    @ParameterizedTest
    @ValueSource(ints = {3, 7, 18})
    void theLastKeysOfARoundGetNoMoreThanOthers(int limit) {
        enqueue(20, 20);

        List<String> got = new ArrayList<>();
        KeyedBatch batch = run(Look.FIRST, limit);
        got.addAll(keys(batch));
        while (batch.next() != null) {
            batch = run(batch.next(), limit);
            got.addAll(keys(batch));
        }

        assertThat(new HashSet<>(got)).hasSize(20);
        assertThat(got)
                .allSatisfy(key -> assertThat(Collections.frequency(got, key)).isOne());
    }

    private void enqueue(int keys, int jobsOfEach) {
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, job_key, type)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 'mail', 'key-' || to_char(k, 'FM00'), 'send'
                  FROM generate_series(1, %d), generate_series(0, %d) AS k""".formatted(jobsOfEach, keys - 1));
    }
}
