package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.search.GroupJobs;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.CappedCount;
import dev.rowlock.queue.search.DeadGroup;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.RetryGroup;
import dev.rowlock.queue.search.RetryGroups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
@Representative
class JobSearchRetryGroupsTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private final JobSearch search;

    JobSearchRetryGroupsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database());
    }

    @Test
    void jobsThatAreTriedAgainAreGroupedByErrorInWhateverRoomTheyWait() {
        waiting(1, "mail", "host 10.0.0.1 is down", 1);
        waiting(2, "print", "host 10.0.0.2 is down", 2);
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, type, payload, errors)
                SELECT 1000003, now(), now(), 0, queue, type, payload, errors FROM rowlock.waiting WHERE id = 1
                """);
        waiting(4, "mail", "order 7 is closed", 1);
        rooms.ready(5);

        RetryGroups found = search.retryingByError(JobFilter.all(), 10);

        assertThat(found.complete()).isTrue();
        assertThat(found.groups()).extracting(RetryGroup::jobs).containsExactly(3L, 1L);
        assertThat(found.groups().get(0)).satisfies(group -> {
            assertThat(group.newestJob()).isEqualTo(1_000_003);
            assertThat(group.type()).isEqualTo("send");
            assertThat(group.errorType()).isEqualTo("java.io.IOException");
            assertThat(group.message()).isEqualTo("host 10.0.0.1 is down");
            assertThat(group.firstFailedAt()).isBefore(group.lastFailedAt());
            assertThat(group.lastDueAt()).isAfter(group.lastFailedAt());
        });
    }

    @Test
    void aGroupLeadsToItsJobsAndAFilterNarrowsTheGroups() {
        waiting(1, "mail", "one", 1);
        waiting(2, "print", "one", 1);
        waiting(3, "mail", "two", 1);
        rooms.ready(2);

        RetryGroup largest =
                search.retryingByError(JobFilter.all(), 10).groups().get(0);
        JobFilter itsJobs =
                JobFilter.where().fingerprint(largest.fingerprint()).states(JobState.WAITING, JobState.READY);

        assertThat(search.count(itsJobs, 10)).isEqualTo(new CappedCount(2, false));
        assertThat(search.retryingByError(itsJobs.queue("mail"), 10).groups())
                .singleElement()
                .satisfies(group -> assertThat(group.jobs()).isEqualTo(1));
        assertThatThrownBy(() -> search.retryingByError(JobFilter.where().states(JobState.DEAD), 10))
                .hasMessageContaining("no job can meet");
    }

    /** The last hour comes last. */
    @Test
    void theTrendCountsEachFailedAttemptOfTheLastDayInItsHour() {
        waiting(1, "mail", "one", 3);
        waiting(2, "mail", "one", 30);

        List<Long> trend =
                search.retryingByError(JobFilter.all(), 10).groups().get(0).trend();

        assertThat(trend).hasSize(24).endsWith(1L, 2L, 2L, 2L).startsWith(1L);
        assertThat(trend.stream().mapToLong(Long::longValue).sum()).isEqualTo(3 + 24);
    }

    @Test
    void deadGroupsHaveATrendToo() {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT i, now() - i * interval '6 h', now(), 0, 1, 0, 'dead', CASE WHEN i = 3 THEN 'print' ELSE 'mail' END, 'send', '{}'
                  FROM generate_series(0, 9) AS i
                """);

        DeadGroup group = search.deadByError(JobFilter.where().queue("mail"), GroupPage.first(1))
                .groups()
                .get(0);

        assertThat(group.type()).isEqualTo("send");
        assertThat(group.jobs()).isEqualTo(9);
        assertThat(LongStream.range(0, 24).filter(i -> group.trend().get((int) i) == 1))
                .containsExactly(11L, 17L, 23L);
        assertThat(group.trend()).hasSize(24);
    }

    @Test
    void onlyTheLargestGroupsComeAndTheAnswerSaysSo() {
        waiting(1, "mail", "one", 1);
        waiting(2, "mail", "one", 1);
        waiting(3, "mail", "two", 1);

        RetryGroups found = search.retryingByError(JobFilter.all(), 1);

        assertThat(found.complete()).isFalse();
        assertThat(found.groups()).extracting(RetryGroup::jobs).containsExactly(2L);
        assertThatThrownBy(() -> search.retryingByError(JobFilter.all(), 0)).hasMessageContaining("1 to 1000");
    }

    @Test
    void whereNothingHasFailedThereIsNoGroup() {
        rooms.ready(1);

        assertThat(search.retryingByError(JobFilter.all(), 10)).isEqualTo(new RetryGroups(List.of(), true));
    }

    @Test
    void ofManyJobsOnlyThoseThatAreDueNextAreReadByIndex() throws Exception {
        rooms.execute("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, reason, rank, queue, type, payload, errors)
                SELECT i, now() + i * interval '1 s', now(), 'retry', 0, 'mail', 'send', '{}',
                       CASE WHEN i %% 2 = 0 THEN jsonb_build_array(jsonb_build_object('type', 'E' || chr(65 + i %% 3), 'message', '', 'trace', '', 'attempt', 1, 'at', now())) END
                  FROM generate_series(1, %d) AS i
                """.formatted(GroupJobs.LOOKED_AT * 4));
        rooms.execute("ANALYZE rowlock.waiting");

        RetryGroups found = search.retryingByError(JobFilter.all(), 10);

        assertThat(found.complete()).isFalse();
        assertThat(found.groups().stream().mapToLong(RetryGroup::jobs).sum()).isEqualTo(GroupJobs.GROUPED);
        assertThat(found.groups())
                .allSatisfy(group -> assertThat(group.newestJob()).isLessThanOrEqualTo(2 * GroupJobs.GROUPED));
        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), Plans.AUTO)) {
            // A filter that few jobs meet reads no further either.
            new JobSearch(explained.database())
                    .retryingByError(JobFilter.where().queue("print"), 10);

            assertThat(explained.lastPlan())
                    .containsPattern(
                            "Index Scan using waiting_by_due on waiting .*actual .*rows=" + GroupJobs.LOOKED_AT + "\\b")
                    .doesNotContainPattern("Seq Scan on waiting [^\\n]*rows=200000 loops");
        }
    }

    /** A job whose attempts failed half an hour ago, and each hour before that. */
    private void waiting(long id, String queue, String message, int attempts) {
        rooms.sql("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, reason, rank, attempt, queue, type, payload, errors)
                SELECT ?, now() + interval '1 min', now(), 'retry', 0, ?, ?, 'send', '{}',
                       jsonb_agg(jsonb_build_object('type', 'java.io.IOException', 'message', ?::text, 'trace', '', 'attempt', i,
                                                    'at', now() - (? - i + 0.5) * interval '1 h' + ? * interval '1 s') ORDER BY i)
                  FROM generate_series(1, ?) AS i
                """)
                .params(id, attempts, queue, message, attempts, id, attempts)
                .update();
    }
}
