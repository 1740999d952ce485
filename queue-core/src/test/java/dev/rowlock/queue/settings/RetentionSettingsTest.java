package dev.rowlock.queue.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetentionSettingsTest {

    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final Duration TOO_LONG = LONGEST.plusMillis(1);

    @Test
    void endedJobsAreKeptForAHundredYearsAtMost() {
        assertThat(new RetentionSettings(LONGEST, LONGEST).done()).isEqualTo(LONGEST);

        assertThatThrownBy(() -> new RetentionSettings(TOO_LONG, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("retention of done jobs 36500d1ms must be at most 36500 days");
        assertThatThrownBy(() -> new RetentionSettings(Duration.ZERO, TOO_LONG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("retention of dead jobs 36500d1ms must be at most 36500 days");
    }

    @Test
    void theAuditIsKeptForADayAtLeastAndAHundredYearsAtMost() {
        assertThat(RetentionSettings.DEFAULT.audit()).isEqualTo(Duration.ofDays(90));
        assertThat(new RetentionSettings(Duration.ZERO, null).audit()).isEqualTo(Duration.ofDays(90));
        assertThat(new RetentionSettings(Duration.ZERO, null, LONGEST).audit()).isEqualTo(LONGEST);

        assertThatThrownBy(() -> new RetentionSettings(Duration.ZERO, null, TOO_LONG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("retention of the audit 36500d1ms must be at most 36500 days");
        assertThatThrownBy(() -> new RetentionSettings(Duration.ZERO, null, Duration.ofHours(23)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("retention of the audit 23h must be at least one day");
    }
}
