package dev.rowlock.queue.internal.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Page 1,000 costs what page 1 costs, by what the server says it has read. */
@PostgresTest(migrated = true)
@Representative
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SearchPlansTest {

    private static final int DEAD = 24_000;
    private static final int SIZE = 20;
    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared( hit=(\\d+))?( read=(\\d+))?");

    private final TestDatabase test;
    private final Rooms rooms;
    private boolean filled;

    SearchPlansTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
    }

    @BeforeEach
    void fill() {
        if (filled) {
            return;
        }
        rooms.fill(5_000, rooms.node());
        rooms.sql("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload, errors)
                SELECT nextval('rowlock.job_id'), now() - i * interval '1 s', now(), 0, 1, 0,
                       CASE WHEN i % 50 = 0 THEN 'quarantined' ELSE 'dead' END, CASE WHEN i % 10 = 0 THEN 'print' ELSE 'mail' END, 'send', '{}',
                       jsonb_build_array(jsonb_build_object('type', CASE WHEN i BETWEEN 12000 AND 12040 THEN 'Rare' ELSE 'E' || chr(65 + i % 20) END, 'message', 'order ' || i, 'trace', repeat(md5(i::text), 20),
                                                            'attempt', 1, 'at', now()))
                  FROM generate_series(1, ?) AS i
                """).param(DEAD).update();
        rooms.execute("""
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'completed', 'mail', 'send', '{}' FROM generate_series(1, 5000)
                """);
        rooms.execute("ANALYZE rowlock.done, rowlock.ready, rowlock.waiting, rowlock.running");
        vacuum();
        filled = true;
    }

    private void vacuum() {
        rooms.execute("VACUUM (ANALYZE) rowlock.dead");
    }

    static Stream<JobFilter> filters() {
        return Stream.of(
                JobFilter.all(),
                JobFilter.where().states(JobState.DEAD, JobState.QUARANTINED),
                JobFilter.where().states(JobState.DEAD),
                JobFilter.where().queue("mail"),
                JobFilter.where().states(JobState.QUARANTINED, JobState.DEAD).queue("print"),
                JobFilter.where().states(JobState.DEAD).type("send").errorText("order"),
                JobFilter.where().states(JobState.DEAD).payload("$ ? (!exists(@.n))"));
    }

    @ParameterizedTest
    @MethodSource("filters")
    void page1000CostsWhatPage1Costs(JobFilter filter) throws Exception {
        assertThousandthPageCostsNoMoreThanTheFirst(filter);
    }

    @ParameterizedTest
    @MethodSource("filters")
    void page1000CostsWhatPage1CostsThoughTheStatisticsAreOfAnEmptyTable(JobFilter filter) throws Exception {
        rooms.believeEmptied("dead");
        try {
            assertThousandthPageCostsNoMoreThanTheFirst(filter);
        } finally {
            vacuum();
        }
    }

    private void assertThousandthPageCostsNoMoreThanTheFirst(JobFilter filter) throws Exception {
        long last = rooms.number("SELECT max(id) FROM rowlock.dead");

        long first = buffers(filter, Page.first(SIZE));
        long thousandth = buffers(filter, Page.first(SIZE).before(last - 999L * SIZE));

        assertThat(first).isLessThan(600);
        assertThat(thousandth).isLessThanOrEqualTo(first + 100);
    }

    @Test
    void theJobsOfOneKindOfErrorAreFoundByIndex() throws Exception {
        String fingerprint = rooms.sql(
                        "SELECT fingerprint FROM rowlock.dead WHERE errors -> -1 ->> 'type' = 'Rare' LIMIT 1")
                .query(String.class)
                .single();

        try (ExplainedDatabase explained = explained()) {
            find(
                    explained,
                    JobFilter.where()
                            .states(JobState.DEAD, JobState.QUARANTINED)
                            .fingerprint(fingerprint),
                    Page.first(SIZE));

            assertThat(explained.lastPlan()).contains("dead_by_error").doesNotContain("Seq Scan");
        }
    }

    @Test
    void groupsOfErrorsAreCountedInTheIndexAlone() throws Exception {
        try (ExplainedDatabase explained = explained()) {
            BoundedSearch search = new BoundedSearch(explained.database(), Duration.ofSeconds(5));

            List<Long> jobs = new GroupJobs(search)
                    .dead(JobFilter.where().queue("mail"), GroupPage.first(10), row -> row.getLong("jobs"));

            assertThat(jobs).hasSize(11);
            assertThat(explained.lastPlan()).containsPattern("Index Only Scan.* using dead_by_error");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSearchOfOneStateReadsOneRoomAsFarAsThePageIsLong(JobState state) throws Exception {
        try (ExplainedDatabase explained = explained()) {
            find(explained, JobFilter.where().states(state).queue("mail"), Page.first(10));

            assertThat(explained.lastPlan()).contains(" on " + state.room());
            assertThat(explained.lastPlan().lines().filter(line -> line.contains(" on ")))
                    .noneMatch(line -> line.contains("actual rows=5000"));
            assertThat(Stream.of("waiting", "ready", "running", "done", "dead"))
                    .filteredOn(room -> !room.equals(state.room()))
                    .allSatisfy(room -> assertThat(explained.lastPlan()).doesNotContain(" on " + room));
        }
    }

    @Test
    void aCountReadsNoMoreThanItsLimit() throws Exception {
        try (ExplainedDatabase explained = explained()) {
            BoundedSearch search = new BoundedSearch(explained.database(), Duration.ofSeconds(5));

            new CountJobs(search).matching(JobFilter.where().states(JobState.DEAD), 1_000);

            assertThat(buffers(explained.lastPlan())).isLessThan(500);
        }
    }

    /** Of the small queues of days that are over, jobs are found by index. */
    @Test
    void theFewDoneJobsOfAQueueAreFoundByIndexOnceTheirDayIsOver() throws Exception {
        rooms.execute("""
                CREATE TABLE rowlock.done_20200101 PARTITION OF rowlock.done FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')
                """);
        rooms.execute("""
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                SELECT i, '2020-01-01 12:00+00', '2020-01-01', 0, 1, 0, 'completed', CASE WHEN i % 5000 = 7 THEN 'rare' ELSE 'mail' END, 'send', '{}'
                  FROM generate_series(1, 20000) AS i
                """);
        rooms.number("SELECT count(*) FROM rowlock.index_done_partition('done_20200101')");
        try (ExplainedDatabase explained = explained()) {
            JobFilter rare = JobFilter.where().states(JobState.COMPLETED).queue("rare");

            assertThat(find(explained, rare, Page.first(SIZE))).hasSize(4);

            assertThat(explained.lastPlan()).contains("done_20200101_by_queue");
        } finally {
            rooms.execute("DROP TABLE rowlock.done_20200101");
        }
    }

    private long buffers(JobFilter filter, Page page) throws Exception {
        try (ExplainedDatabase explained = explained()) {
            assertThat(find(explained, filter, page)).hasSize(SIZE + 1);
            return buffers(explained.lastPlan());
        }
    }

    /** All that the statement has touched: the first line is that of the whole plan. */
    private static long buffers(String plan) {
        Matcher buffers = BUFFERS.matcher(plan);
        assertThat(buffers.find()).as(plan).isTrue();
        return number(buffers.group(2)) + number(buffers.group(4));
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private static List<Long> find(ExplainedDatabase explained, JobFilter filter, Page page) {
        return new FindJobs(new BoundedSearch(explained.database(), Duration.ofSeconds(5)))
                .run(filter, page, row -> row.getLong("id"));
    }

    private ExplainedDatabase explained() throws Exception {
        return new ExplainedDatabase(test, rooms.database().schema(), Plans.AUTO);
    }
}
