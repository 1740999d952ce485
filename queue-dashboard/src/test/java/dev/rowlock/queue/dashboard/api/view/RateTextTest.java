package dev.rowlock.queue.dashboard.api.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.Rate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"10/s", "100/min", "100/min burst 20", "5/15s", "1/d", "3/90min", "7/1500ms", "600/min burst 7"})
    void aRateIsShownAsItIsWritten(String text) {
        assertThat(RateText.of(Rate.valueOf(text))).isEqualTo(text);
    }
}
