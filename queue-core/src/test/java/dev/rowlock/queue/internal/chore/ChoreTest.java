package dev.rowlock.queue.internal.chore;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ChoreTest {

    private static final Duration INTERVAL = Duration.ofSeconds(15);

    @Test
    void aRestIsSoManyTimesAsLongAsTheWork() {
        assertThat(Chore.restBehind(Duration.ofSeconds(2), 20, INTERVAL)).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void aRestIsNoShorterThanTheInterval() {
        assertThat(Chore.restBehind(Duration.ofMillis(1), 20, INTERVAL)).isEqualTo(INTERVAL);
        assertThat(Chore.restBehind(Duration.ofHours(1), 20, Duration.ofMinutes(5)))
                .isEqualTo(Duration.ofMinutes(5));
    }

    /** It may have waited for a lock for a quarter of an hour. */
    @Test
    void workThatTookLongForOnceIsDoneAgainWithinAMinute() {
        assertThat(Chore.restBehind(Duration.ofMinutes(15), 20, INTERVAL)).isEqualTo(Duration.ofMinutes(1));
    }
}
