package dev.rowlock.queue.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "PT30S, 30s",
        "PT5M, 5m",
        "PT0.3S, 300ms",
        "PT1H, 1h",
        "P1D, 1d",
        "PT1M30S, 1m30s",
        "PT36H, 1d12h",
        "PT1.5S, 1s500ms",
        "PT0S, 0s",
        "PT-5S, -5s",
        "PT0.0000015S, 1us500ns",
    })
    void durationsReadAsPeopleWriteThem(Duration duration, String text) {
        assertThat(DurationText.of(duration)).isEqualTo(text);
    }

    @Test
    void theLongestAndTheLowestHaveATextToo() {
        assertThat(DurationText.of(Duration.ofSeconds(Long.MAX_VALUE))).startsWith("106751991167300d15h30m7s");
        assertThat(DurationText.of(Duration.ofSeconds(Long.MIN_VALUE))).startsWith("PT-");
    }

    @Test
    void forPeopleTheTwoLargestUnitsAreEnough() {
        assertThat(Stream.of("0s", "59s", "60s", "59m59s", "60m", "65m", "24h", "25h30m", "50h")
                        .map(DurationTextTest::parsed)
                        .map(DurationText::rough))
                .containsExactly("0 s", "59 s", "1 min", "59 min", "1 h", "1 h 5 min", "1 d", "1 d 1 h", "2 d 2 h");
    }

    private static Duration parsed(String text) {
        return Duration.parse("PT" + text.toUpperCase(Locale.ROOT));
    }
}
