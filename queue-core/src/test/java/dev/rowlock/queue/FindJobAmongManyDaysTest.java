package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.DropDonePartitions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Whoever looks for one job pays for that job, and not for the days that are kept. */
@PostgresTest(freshPerTest = true, migrated = true)
@Representative
class FindJobAmongManyDaysTest {

    /** A job that ended on the day after this one has an id that ends with 01, the next one with 02, and so on. */
    private static final long FIRST = 1_000_000;

    private static final long NOBODY = 999_999_999;

    private final TestDatabase test;
    private final Rooms rooms;
    private final JobSearch search;
    private final JobAdmin admin;
    private final TransactionTemplate transaction;

    FindJobAmongManyDaysTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        search = new JobSearch(rooms.database());
        admin = FrontDoors.admin(rooms.database(), new RecordedWakeups());
        transaction = new TransactionTemplate(new DataSourceTransactionManager(test.dataSource()));
    }

    @Test
    void aLookForOneJobLocksAsMuchAmongManyDaysAsAmongFew() {
        days(1, 3);
        Map<String, Long> few = locks();

        days(4, 60);

        assertThat(locks()).isEqualTo(few);
        assertThat(few).allSatisfy((look, locks) -> {
            if (look.startsWith("find")) {
                assertThat(locks).as(look).isLessThanOrEqualTo(20);
            }
        });
        assertThat(few.values()).allMatch(locks -> locks < 60);
    }

    /** What each look of an operator, of a handle and of SQL locks until its caller's transaction ends. */
    private Map<String, Long> locks() {
        long ended = FIRST + 1;
        long today = rooms.complete(rooms.running(), true);
        Map<String, Long> locks = new LinkedHashMap<>();
        transaction.executeWithoutResult(
                status -> search.find(NOBODY)); // the first look of a connection makes the plans
        locks.put("find an old job", locks(() -> assertThat(search.find(ended)).isPresent()));
        locks.put(
                "find a job of today",
                locks(() -> assertThat(search.find(today)).isPresent()));
        locks.put("find nothing", locks(() -> assertThat(search.find(NOBODY)).isEmpty()));
        locks.put(
                "cancel an old job",
                locks(() -> assertThat(admin.cancel(ended)).isEqualTo(CancelResult.ALREADY_ENDED)));
        locks.put("cancel nothing", locks(() -> assertThat(admin.cancel(NOBODY)).isEqualTo(CancelResult.NOT_FOUND)));
        locks.put("redrive", locks(() -> assertThat(admin.redrive(rooms.dead())).isTrue()));
        locks.put(
                "redrive an old job",
                locks(() -> assertThat(admin.redrive(ended)).isFalse()));
        locks.put(
                "state in SQL",
                locks(() -> assertThat(rooms.sql("SELECT rowlock.job_state(?)")
                                .param(ended)
                                .query(String.class)
                                .single())
                        .isEqualTo("completed")));
        locks.put(
                "cancel in SQL",
                locks(() -> assertThat(rooms.sql("SELECT rowlock.cancel(?)")
                                .param(ended)
                                .query(String.class)
                                .single())
                        .isEqualTo("already_ended")));
        return locks;
    }

    private long locks(Runnable look) {
        Long locks = transaction.execute(status -> {
            look.run();
            return rooms.number("""
                    SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
                     WHERE l.pid = pg_backend_pid() AND c.relnamespace = 'rowlock'::regnamespace""");
        });
        return locks == null ? 0 : locks;
    }

    @Test
    void jobsAreFoundOnWhateverDayTheyEndedAndWhetherOrNotItHasItsIndexes() {
        days(1, 3);
        day(4);

        assertThat(List.of(1, 2, 3, 4))
                .allSatisfy(day -> assertThat(search.find(FIRST + day))
                        .map(JobDetails::state)
                        .contains(JobState.COMPLETED));
        assertThat(search.glance(List.of(FIRST + 1, FIRST + 3, FIRST + 4, NOBODY)))
                .extracting(glance -> glance.id())
                .containsExactly(FIRST + 1, FIRST + 3, FIRST + 4);
        assertThat(search.explain(FIRST + 2)).isPresent();
    }

    /** As where the server's clock is set back by some days. */
    @Test
    void aJobThatEndsOnADayThatWasOverIsFound() {
        days(1, 3);

        long late = FIRST + 77;
        ended(late, 2);
        ended(FIRST + 5_000, 2);

        assertThat(search.find(late)).isPresent();
        assertThat(search.find(FIRST + 5_000)).isPresent();
    }

    @Test
    void aDayThatIsDroppedLeavesNothingBehind() {
        days(1, 3);

        assertThat(new DropDonePartitions(rooms.database()).run(Duration.ofDays(1)))
                .hasSize(2);

        assertThat(search.find(FIRST + 3)).isEmpty();
        assertThat(search.find(FIRST + 1)).isPresent();
        assertThat(rooms.number("SELECT count(*) FROM rowlock.done_place")).isOne();
    }

    @Test
    void tenYearsNeedAboutAHundredPartitions() {
        rooms.execute("""
                INSERT INTO rowlock.retention (done_millis, dead_millis, audit_millis, stated_at)
                VALUES (3650 * 86400000::bigint, 0, 0, clock_timestamp())""");

        rooms.number("SELECT count(*) FROM rowlock.ensure_done_partitions(3650)");

        assertThat(rooms.number("SELECT count(*) FROM rowlock.done_partition")).isBetween(100L, 110L);
        assertThat(rooms.truth("""
                        SELECT bool_and(until_at = next_at) FROM (
                            SELECT until_at, lead(from_at) OVER (ORDER BY from_at) AS next_at FROM rowlock.done_partition) AS p
                         WHERE next_at IS NOT NULL""")).as("without a gap").isTrue();
        assertThat(rooms.truth("SELECT max(until_at) > now() + interval '3650 days' FROM rowlock.done_partition"))
                .isTrue();
    }

    @Test
    void aDayThatIsMissingBetweenLongerStretchesIsMade() {
        tenYearsNeedAboutAHundredPartitions();
        String taken = rooms.sql("SELECT partition FROM rowlock.done_partition ORDER BY from_at LIMIT 1 OFFSET 20")
                .query(String.class)
                .single();
        rooms.execute("DROP TABLE rowlock." + taken);

        rooms.number("SELECT count(*) FROM rowlock.ensure_done_partitions(3650)");

        assertThat(rooms.sql("SELECT partition FROM rowlock.done_partition")
                        .query(String.class)
                        .list())
                .contains(taken);
    }

    private void days(int from, int to) {
        for (int ago = from; ago <= to; ago++) {
            rooms.number("SELECT count(*) FROM rowlock.index_done_partition('%s')".formatted(day(ago)));
        }
    }

    /** Makes the partition of a day that is over, with a job that ended on it. */
    private String day(int ago) {
        String name = rooms.sql("SELECT 'done_' || to_char((now() AT TIME ZONE 'UTC')::date - ?, 'YYYYMMDD')")
                .param(ago)
                .query(String.class)
                .single();
        rooms.execute("""
                CREATE TABLE rowlock.%s PARTITION OF rowlock.done
                FOR VALUES FROM ('%2$s 00:00Z') TO (timestamptz '%2$s 00:00Z' + interval '24 hours')
                """.formatted(name, name.substring(5)));
        ended(FIRST + ago, ago);
        return name;
    }

    private void ended(long id, int daysAgo) {
        rooms.execute("""
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type)
                VALUES (%d, date_trunc('day', now(), 'UTC') - %d * interval '1 day' + interval '12 hours', now(), 0, 1, 0, 'completed', 'mail', 'send')
                """.formatted(id, daysAgo));
    }
}
