package dev.rowlock.queue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.schedule.FireSchedules.Look;
import dev.rowlock.queue.internal.schedule.FireSchedules.Tick;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ten thousand recurring jobs cost what one costs. Statistics are from when the tables were empty. */
@PostgresTest(migrated = true)
class SchedulePlansTest {

    private static final int BACKLOG = 20_000;
    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)");

    private final TestDatabase test;
    private final Rooms rooms;

    SchedulePlansTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
        // Empty, not full of rows that are gone: where statistics tell of pages without rows, plans cost the same, and
        // chance decides.
        rooms.execute("VACUUM (ANALYZE) rowlock.schedule, rowlock.ready, rowlock.waiting, rowlock.running");
        rooms.execute("""
                INSERT INTO rowlock.schedule (name, every_millis, jitter_millis, missed, missed_runs, missed_window_millis,
                                              overlap, rank, queue, type, payload, next_at, fire_at, last_job_id)
                SELECT 'job-' || n, 86400000, 0, 'run_once', 1, 0, 'skip', 0, 'mail', 'Report', '{}', t, t, n
                  FROM (SELECT n, statement_timestamp() + (n - 3) * interval '1 hour' AS t FROM generate_series(1, 10000) n) s
                """);
    }

    @ParameterizedTest
    @EnumSource(Plans.class)
    void aLookReadsTheRowsThatAreDueAndTheNextOne(Plans plans) throws SQLException {
        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), plans)) {
            FireSchedules fire = new FireSchedules(explained.database());
            Look look = fire.look(Set.of(), Set.of(), 500);
            for (int i = 0; i < 6; i++) {
                look = fire.look(Set.of(), Set.of(), 500);
            }

            assertThat(look.due()).extracting(StoredSchedule::name).containsExactly("job-1", "job-2", "job-3");
            assertThat(look.nextIn()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
            assertThat(explained.lastPlan()).contains("schedule_due").doesNotContain("Seq Scan on schedule");
            assertThat(pages(explained)).as(explained.lastPlan()).isLessThan(40);
        }
    }

    @ParameterizedTest
    @EnumSource(Plans.class)
    void aRunReadsItsRowAndTheRoomsByPrimaryKey(Plans plans) throws SQLException {
        rooms.ready(BACKLOG);
        List<StoredSchedule> due = new FireSchedules(rooms.database())
                .look(Set.of(), Set.of(), 500)
                .due();
        List<Tick> ticks = due.stream()
                .map(one -> new Tick(one, List.of(one.nextAt()), one.nextAt(), one.nextAt()))
                .toList();

        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), plans)) {
            new FireSchedules(explained.database()).run(ticks);

            assertThat(explained.lastPlan())
                    .contains("schedule_pkey")
                    .doesNotContain("Seq Scan on schedule", "Seq Scan on ready"); // the other rooms are empty
            assertThat(pages(explained)).as(explained.lastPlan()).isLessThan(300);
        }
    }

    /** Of the whole statement: its first line counts all below. */
    private static int pages(ExplainedDatabase explained) {
        return PAGES.matcher(explained.lastPlan())
                .results()
                .mapToInt(hit -> Integer.parseInt(hit.group(1)))
                .findFirst()
                .orElseThrow();
    }
}
