package dev.rowlock.queue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Runs that are put off, so that they do not all come at once. */
class JitterTest extends SchedulingTest {

    JitterTest(TestDatabase test) throws SQLException {
        super(test);
    }

    @Test
    void jitterSpreadsRunsOfTheSameTime() {
        IntStream.range(0, 100)
                .forEach(i ->
                        recurring.create(RecurringJob.of("job-" + i, Schedule.cron("0 0 11 * * *"), new Report("r"))
                                .jitter(Duration.ofSeconds(100))));
        List<Integer> begun = new ArrayList<>();
        for (int second = 0; second <= 100; second += 10) {
            clock.set(Instant.parse("2026-11-22T11:00:00Z").plusSeconds(second));
            scheduler.runOnce();
            begun.add(runs().size());
        }

        assertThat(begun.get(0)).isLessThan(5);
        assertThat(begun.get(5)).isBetween(35, 65);
        assertThat(begun.get(10)).isEqualTo(100);
        assertThat(runs()).as("their time is the same all the same").containsOnly("11:00");
    }

    @Test
    void aRunIsPutOffDifferentlyEachTime() {
        recurring.create(hourly().jitter(Duration.ofMinutes(30)));
        List<Duration> delays = new ArrayList<>();
        for (int hour = 0; hour < 10; hour++) {
            Instant due = sql.sql("SELECT fire_at FROM rowlock.schedule")
                    .query(java.time.OffsetDateTime.class)
                    .single()
                    .toInstant();
            delays.add(Duration.ofSeconds(due.getEpochSecond() % 3600));
            clock.set(due);
            scheduler.runOnce();
            endAll();
        }

        assertThat(delays).allSatisfy(delay -> assertThat(delay).isBetween(Duration.ZERO, Duration.ofMinutes(30)));
        assertThat(Set.copyOf(delays)).hasSizeGreaterThan(5);
    }
}
