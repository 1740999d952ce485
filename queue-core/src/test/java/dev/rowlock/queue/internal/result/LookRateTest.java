package dev.rowlock.queue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LookRateTest {

    private static final long LOOK = Duration.ofMillis(20).toNanos();

    private final LookRate rate = new LookRate(1_000);

    @Test
    void moreJobsAreEachAskedForMoreRarelySoThatLooksKeepUp() {
        assertThat(rate.interval(20_000)).isZero();

        for (int look = 0; look < 100; look++) {
            rate.rest(LOOK, true);
        }

        Duration each = Duration.ofNanos(rate.interval(20_000)); // 20 looks and their rests, and as many for news
        assertThat(each).isBetween(Duration.ofMillis(2_300), Duration.ofMillis(2_401));
        assertThat(rate.interval(10)).isLessThan(Duration.ofMillis(2).toNanos());
    }

    @Test
    void aLookThatTookLongIsFollowedByARestOfTwiceThatAndOfASecondAtMost() {
        assertThat(rate.rest(LOOK, true)).isEqualTo(2 * LOOK);
        assertThat(rate.rest(Duration.ofSeconds(30).toNanos(), true))
                .isEqualTo(Duration.ofSeconds(1).toNanos());
    }

    @Test
    void whereMoreJobsHaveEndedThanALookTellsOfTheNextComesSoon() {
        assertThat(rate.rest(LOOK, false)).isEqualTo(Duration.ofMillis(2).toNanos());
    }
}
