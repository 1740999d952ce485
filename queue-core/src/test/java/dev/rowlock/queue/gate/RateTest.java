package dev.rowlock.queue.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateTest {

    @ParameterizedTest
    @CsvSource({
        "10/s, 10, PT1S, 1",
        "1000/s, 1000, PT1S, 100",
        "100/min, 100, PT1M, 1",
        "100/m, 100, PT1M, 1",
        "5/15s, 5, PT15S, 1",
        "5/500ms, 5, PT0.5S, 1",
        "3/h, 3, PT1H, 1",
        "3/d, 3, PT24H, 1",
        "7/1ms, 7, PT0.001S, 7",
        "11/s, 11, PT1S, 2",
        "100 / 2 min burst 20, 100, PT2M, 20",
    })
    void aTextIsRead(String text, int jobs, Duration per, int burst) {
        assertThat(Rate.valueOf(text)).isEqualTo(new Rate(jobs, per, burst));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "10", "10/", "/s", "ten/s", "10/year", "-1/s", "10/s burst", "10/s burst x", "99999999999/s"
            })
    void anotherTextIsRefused(String text) {
        assertThatThrownBy(() -> Rate.valueOf(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no rate: write '10/s'")
                .hasMessageEndingWith("units are ms, s, min, h and d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0/s", "10/0s", "10/32d", "10/s burst 0", "1/99999999d"})
    void aRateOutOfRangeIsRefused(String text) {
        assertThatThrownBy(() -> Rate.valueOf(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not allowed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10/s",
                "1000/s",
                "100/min",
                "100/min burst 20",
                "5/15s",
                "5/500ms",
                "3/h",
                "7/d",
                "1/31d",
                "1/90s burst 2"
            })
    void aRateIsWrittenAsPeopleWriteIt(String text) {
        assertThat(Rate.valueOf(text)).hasToString(text);
    }

    @Test
    void whatIsWrittenCanBeRead() {
        for (Rate rate : new Rate[] {Rate.perSecond(10), Rate.perMinute(7).burst(3), Rate.perHour(1)}) {
            assertThat(Rate.valueOf(rate.toString())).isEqualTo(rate);
        }
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertThat(Rate.valueOf(Rate.perSecond(10).toString())).isEqualTo(Rate.perSecond(10));
        } finally {
            Locale.setDefault(before);
        }
    }
}
