package dev.rowlock.queue.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a recurring job may say. */
class RecurringJobTest {

    record Report(String name) {}

    private static final RecurringJob HOURLY =
            RecurringJob.of("report", Schedule.every(Duration.ofHours(1)), new Report("sales"));

    @Test
    void aFixedRateCountsFromTheBeginningOf1970() {
        assertThat(Schedule.every(Duration.ofMinutes(15)).next(Instant.parse("2026-11-22T10:07:00Z"), 2))
                .containsExactly(Instant.parse("2026-11-22T10:15:00Z"), Instant.parse("2026-11-22T10:30:00Z"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.999S", "PT0S", "PT-1H", "P367D"})
    void aRateOutOfRangeIsRefused(String rate) {
        assertThatThrownBy(() -> Schedule.every(Duration.parse(rate)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("between 1s and 366d");
    }

    @Test
    void aRateBetweenMillisecondsIsRefused() {
        assertThatThrownBy(() -> Schedule.every(Duration.ofSeconds(1).plusNanos(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("whole milliseconds");
    }

    @Test
    void theScheduleSaysWhenNotTheOptions() {
        assertThatThrownBy(() -> HOURLY.options(o -> o.delay(Duration.ofMinutes(1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'report'")
                .hasMessageContaining("due time");
    }

    @Test
    void theOverlapSaysWhatMayRunNotAKey() {
        assertThatThrownBy(() -> HOURLY.options(o -> o.unique("report")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unique key");
    }

    @Test
    void theHeadersOfARunAreNotForOthers() {
        assertThatThrownBy(() -> HOURLY.options(o -> o.header("scheduled-at", "now")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'scheduled-at'");
    }

    @Test
    void allMissedRunsCannotBeMadeUpForOneAtATime() {
        MissedRuns all = MissedRuns.runAll(10, Duration.ofDays(1));

        assertThatThrownBy(() -> HOURLY.missed(all))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("overlap SKIP");
        assertThat(HOURLY.overlap(Overlap.ALLOW).missed(all).missed()).isEqualTo(all);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-1S", "PT12H0.001S", "PT1H"})
    void aJitterAsLongAsItsIntervalIsRefused(String jitter) {
        assertThatThrownBy(() -> HOURLY.jitter(Duration.parse(jitter)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jitter of");
    }

    @Test
    void aJitterThatReachesTheNextRunIsRefused() {
        RecurringJob often = RecurringJob.of("often", Schedule.cron("0 0,10 8 * * *"), new Report("sales"));

        assertThat(often.jitter(Duration.ofMinutes(9)).jitter()).isEqualTo(Duration.ofMinutes(9));
        assertThatThrownBy(() -> often.jitter(Duration.ofMinutes(10)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("10m between two of its runs");
    }

    @Test
    void missedRunsHaveLimits() {
        assertThatThrownBy(() -> MissedRuns.runAll(1_001, Duration.ofDays(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("between 1 and 1000");
        assertThatThrownBy(() -> MissedRuns.runAll(10, Duration.ofDays(32)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("window");
        assertThatThrownBy(() -> new MissedRuns(MissedRuns.Policy.SKIP, 2, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("RUN_ALL");
    }

    @Test
    void aNameHasToBeOneThatRowsAndMetersBear() {
        assertThatThrownBy(() -> RecurringJob.of("every night", Schedule.cron("@daily"), new Report("sales")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("recurring job name 'every night'");
    }

    @Test
    void itsTextTellsNoPayload() {
        assertThat(HOURLY.toString()).isEqualTo("RecurringJob[report, every PT1H]");
    }
}
