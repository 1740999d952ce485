package dev.rowlock.queue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.rowlock.queue.JobType;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which jobs a recurring job brings, and when a node looks next. */
class SchedulerTest extends SchedulingTest {

    @JobType(value = "by-tenant", key = "tenant")
    record ByTenant(String tenant) {}

    SchedulerTest(TestDatabase test) throws SQLException {
        super(test);
    }

    @Test
    void eachTimeBringsOneJob() {
        recurring.create(hourly().options(o -> o.queue("reports").priority(7)));

        assertThat(runsAt("10:59:59.999")).isEmpty();
        assertThat(runsAt("11:00:00")).containsExactly("11:00");
        assertThat(runsAt("11:59:59")).isEmpty();
        assertThat(runsAtKeeping("12:00:01")).containsExactly("12:00");
        assertThat(sql.sql("SELECT DISTINCT queue, type, priority, payload ->> 'name' AS name FROM rowlock.job_details")
                        .query()
                        .singleRow())
                .containsEntry("queue", "reports")
                .containsEntry("type", "Report")
                .containsEntry("priority", 7)
                .containsEntry("name", "sales");
    }

    @Test
    void workersAreWoken() {
        recurring.create(hourly().options(o -> o.queue("reports").priority(7)));

        runsAt("11:00:00");

        assertThat(wakeups.heard()).contains("1 ready in reports from rank -7");
    }

    @Test
    void theJobsHaveTheKeyOfTheOptions() {
        recurring.create(hourly().options(o -> o.queue("reports").key("tenant-7")));

        runsAtKeeping("11:00:00");

        assertThat(sql.sql("SELECT DISTINCT job_key FROM rowlock.ready")
                        .query(String.class)
                        .single())
                .isEqualTo("tenant-7");
        assertThat(wakeups.heard())
                .contains("key tenant-7 in reports")
                .noneMatch(heard -> heard.contains("ready in reports"));
    }

    @Test
    void theJobsHaveTheKeyThatTheirTypeTakesFromThePayload() {
        recurring.create(RecurringJob.of("by-tenant", Schedule.every(HOUR), new ByTenant("tenant-8")));

        recurring.runNow("by-tenant");

        assertThat(sql.sql("SELECT job_key FROM rowlock.ready")
                        .query(String.class)
                        .single())
                .isEqualTo("tenant-8");
        assertThat(wakeups.heard()).contains("key tenant-8 in default");
    }

    @Test
    void aJobKnowsItsRun() {
        RetryPolicy retry = RetryPolicy.fixed(Duration.ofSeconds(3));
        recurring.create(
                hourly().options(o -> o.header("tenant", "\"}{\ud83d ümlaut").retry(retry)));
        recurring.create(RecurringJob.of("plain", Schedule.every(HOUR), new Report("stock")));

        clock.set("2026-11-22T11:00:30Z");
        scheduler.runOnce();

        List<String> headers = sql.sql("SELECT headers::text FROM rowlock.ready ORDER BY id")
                .query(String.class)
                .list();
        assertThat(Headers.decode(headers.get(0)))
                .containsOnly(
                        entry("scheduled-at", "2026-11-22T11:00:00Z"),
                        entry("recurring-job", "hourly"),
                        entry("tenant", "\"}{\ud83d ümlaut"));
        assertThat(Headers.retry(headers.get(0)).initialInterval()).isEqualTo(retry.initialInterval());
        assertThat(Headers.decode(headers.get(1)))
                .containsOnly(entry("scheduled-at", "2026-11-22T11:00:00Z"), entry("recurring-job", "plain"));
    }

    @Test
    void aLargePayloadIsStoredAsideAsEver() {
        recurring.create(hourly().payload(new Report("x".repeat(10_000))));

        assertThat(runsAtKeeping("11:00:00")).hasSize(1);
        assertThat(sql.sql("SELECT length(payload ->> 'name') FROM rowlock.job_details")
                        .query(int.class)
                        .single())
                .isEqualTo(10_000);
        assertThat(sql.sql("SELECT count(*) FROM rowlock.payload")
                        .query(int.class)
                        .single())
                .isOne();
    }

    @Test
    void theNextLookComesWhenTheNextRunIsDue() {
        recurring.create(hourly());
        clock.set("2026-11-22T10:59:55Z");

        assertThat(scheduler.runOnce()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void nodesLookOneAfterTheOther() {
        recurring.create(hourly());
        clock.set("2026-11-22T10:59:55Z");
        Scheduler third = new Scheduler(database, wakeups, Set::of, () -> 2);

        assertThat(third.runOnce()).isEqualTo(Duration.ofMillis(5_020));
    }

    @Test
    void thousandsAreReadByTheIndex() {
        sql.sql(
                        "INSERT INTO rowlock.schedule (name, every_millis, jitter_millis, missed, missed_runs, missed_window_millis, overlap, rank,"
                                + " queue, type, payload, next_at, fire_at)"
                                + " SELECT 'job-' || n, 3600000, 0, 'run_once', 1, 0, 'skip', 0, 'q', 'Report', '{}', t, t"
                                + " FROM (SELECT n, timestamptz '2026-11-22T11:00:00Z' + n * interval '1 s' AS t FROM generate_series(0, 9999) n) s")
                .update();
        clock.set("2026-11-22T11:00:02Z");

        assertThat(scheduler.runOnce()).isZero();
        assertThat(runs()).hasSize(3);
    }
}
