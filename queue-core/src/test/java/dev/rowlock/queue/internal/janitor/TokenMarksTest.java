package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TokenMarksTest {

    private static final Duration AGE = Duration.ofSeconds(10);

    private final UnacknowledgedClaims.TokenMarks marks = new UnacknowledgedClaims.TokenMarks();

    @Test
    void aTokenIsOldIfItWasTheLastOneThatLongAgo() {
        marks.note(7, second(0));
        marks.note(9, second(4));

        assertThat(marks.olderThan(AGE, second(9))).isNull();
        assertThat(marks.olderThan(AGE, second(10))).isEqualTo(7);
        assertThat(marks.olderThan(AGE, second(13))).isNull();
        assertThat(marks.olderThan(AGE, second(14))).isEqualTo(9);
    }

    @Test
    void theLastOfSeveralOldTokensCounts() {
        marks.note(7, second(0));
        marks.note(9, second(4));

        assertThat(marks.olderThan(AGE, second(20))).isEqualTo(9);
    }

    private static long second(int second) {
        return Duration.ofSeconds(second).toNanos();
    }
}
