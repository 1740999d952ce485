package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.search.CountJobs;
import dev.rowlock.queue.search.FailedAttempts;
import dev.rowlock.queue.search.QueueFailures;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
@Representative
class JobSearchFailedAttemptsTest {

    private static final Duration HOUR = Duration.ofHours(1);

    /** Failed 30 minutes ago, and an hour before that. */
    private static final String ERRORS = """
            (SELECT jsonb_agg(jsonb_build_object('attempt', i, 'at', now() - (2.5 - i) * interval '1 h', 'type', 'E', 'message', '', 'trace', '') ORDER BY i)
               FROM generate_series(1, 2) AS i)""";

    private final TestDatabase test;
    private final Rooms rooms;
    private final JobSearch search;

    JobSearchFailedAttemptsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database());
    }

    @Test
    void attemptsThatFailedInThisTimeAreCountedInEveryRoom() {
        rooms.execute("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, reason, rank, queue, type, payload, errors)
                VALUES (1, now(), now(), 'retry', 0, 'mail', 'send', '{}', %1$s), (2, now(), now(), 'scheduled', 0, 'idle', 'send', '{}', NULL)
                """.formatted(ERRORS));
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, type, payload, errors)
                VALUES (3, now(), now(), 0, 'mail', 'send', '{}', %s)
                """.formatted(ERRORS));
        rooms.execute("""
                INSERT INTO rowlock.running (id, token, node_id, ready_at, enqueued_at, claimed_at, rank, attempt, crashes, queue, type, payload, errors)
                VALUES (4, 1, 1, now(), now(), now(), 0, 2, 0, 'mail', 'send', '{}', %s)
                """.formatted(ERRORS));
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload, errors)
                VALUES (5, now() - interval '30 min', now(), 0, 1, 0, 'dead', 'print', 'send', '{}', %1$s),
                       (6, now() - interval '2 h', now(), 0, 1, 0, 'dead', 'print', 'send', '{}', %1$s)
                """.formatted(ERRORS));
        rooms.execute("""
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload, errors)
                VALUES (7, now(), now(), 0, 1, 0, 'completed', 'print', 'send', '{}', %s)
                """.formatted(ERRORS));

        FailedAttempts found = search.failedAttempts(HOUR);
        assertThat(found.queues()).containsExactly(new QueueFailures("mail", 3), new QueueFailures("print", 2));
        assertThat(found.complete()).isTrue();
        assertThat(found.minutes().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(5);
        assertThat(found.minutes().keySet())
                .allSatisfy(minute -> assertThat(minute)
                        .isEqualTo(minute.truncatedTo(ChronoUnit.MINUTES))
                        .isBetween(
                                Instant.now().minus(Duration.ofMinutes(35)),
                                Instant.now().minus(Duration.ofMinutes(25))));
        assertThat(search.failedAttempts(HOUR.multipliedBy(3)).queues())
                .containsExactly(new QueueFailures("mail", 6), new QueueFailures("print", 6));
    }

    @Test
    void whereNothingHasFailedThereIsNoQueue() {
        rooms.ready(1);

        assertThat(search.failedAttempts(HOUR)).isEqualTo(new FailedAttempts(List.of(), new TreeMap<>(), true));
    }

    @Test
    void timesWithoutALengthAndLongerThanADayAreRefused() {
        assertThatThrownBy(() -> search.failedAttempts(Duration.ZERO)).hasMessageContaining("between 1 ms and 1d");
        assertThatThrownBy(() -> search.failedAttempts(Duration.ofHours(25))).hasMessageContaining("1d1h");
    }

    @Test
    void ofManyDeadJobsNoMoreThanALimitAreReadAndTheAnswerSaysSo() throws Exception {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload, errors)
                SELECT i, now() - i * interval '10 ms', now(), 0, 1, 0, 'dead', 'mail', 'send', '{}', %s FROM generate_series(1, %d) AS i
                """.formatted(ERRORS, 6 * CountJobs.MOST_FAILED));
        rooms.execute("ANALYZE rowlock.dead");

        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), Plans.AUTO)) {
            FailedAttempts found = new JobSearch(explained.database()).failedAttempts(HOUR);

            assertThat(found.queues()).containsExactly(new QueueFailures("mail", CountJobs.MOST_FAILED));
            assertThat(found.complete()).isFalse();
            assertThat(found.minutes().values().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isEqualTo(CountJobs.MOST_FAILED);
            assertThat(explained.lastPlan())
                    .containsPattern("dead_by_age on dead .*actual .*rows=" + CountJobs.MOST_FAILED + "\\b");
        }
    }
}
