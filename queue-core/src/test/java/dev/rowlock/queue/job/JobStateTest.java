package dev.rowlock.queue.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JobStateTest {

    @ParameterizedTest
    @EnumSource
    void aStateIsFoundByItsLabel(JobState state) {
        assertThat(JobState.of(state.label())).isEqualTo(state);
    }

    @Test
    void labelsAreTheSameInEveryLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("tr"));
            assertThat(JobState.WAITING.label()).isEqualTo("waiting");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void anUnknownLabelIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> JobState.of("Ready"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'Ready'")
                .hasMessageContaining("quarantined");
    }

    @Test
    void jobsInTheLiveRoomsMayStillRun() {
        assertThat(JobState.values())
                .filteredOn(JobState::live)
                .containsExactly(JobState.WAITING, JobState.READY, JobState.RUNNING);
        assertThat(JobState.CANCELLED.room()).isEqualTo("done");
        assertThat(JobState.QUARANTINED.room()).isEqualTo("dead");
    }
}
