package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.Kind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RunningHandlersTest {

    private final RunningHandlers handlers = new RunningHandlers(3, 1);

    @Test
    void eachThreadHasItsOwnJobAndTime() {
        handlers.begin(0, new long[] {10}, Kind.PLAIN, 1_000);
        handlers.begin(2, new long[] {12}, Kind.PLAIN, 1_500);

        assertThat(handlers.elapsed(0, 2_000)).isEqualTo(1_000);
        assertThat(handlers.elapsed(1, 2_000)).isZero();
        assertThat(handlers.elapsed(2, 2_000)).isEqualTo(500);
        assertThat(handlers.run(10)).isTrue();
        assertThat(handlers.run(11)).isFalse();
        assertThat(handlers.run(12)).isTrue();
    }

    @Test
    void aJobThatHasEndedTakesNoTime() {
        handlers.begin(1, new long[] {11}, Kind.PLAIN, 1_000);

        handlers.end(1);

        assertThat(handlers.elapsed(1, 2_000)).isZero();
        assertThat(handlers.run(11)).isFalse();
    }

    @Test
    void eachJobOfAChunkRunsAndHasItsShareOfTheTime() {
        handlers.begin(1, new long[] {11, 12, 13, 14}, Kind.PLAIN, 1_000);

        assertThat(handlers.run(11)).isTrue();
        assertThat(handlers.run(14)).isTrue();
        assertThat(handlers.run(15)).isFalse();
        assertThat(handlers.elapsed(1, 2_000)).isEqualTo(250);
        assertThat(handlers.slots()).isEqualTo(1 + 4 + 1);

        handlers.end(1);
        assertThat(handlers.run(14)).isFalse();
        assertThat(handlers.slots()).isEqualTo(3);
    }

    @Test
    void aThreadThatGathersTakesAWholeChunk() {
        handlers.gather(2, 500);

        assertThat(handlers.slots()).isEqualTo(1 + 1 + 500);
        assertThat(new RunningHandlers(3, 500).slots()).isEqualTo(1_500);
    }

    @Test
    void aJobThatBeganAfterTheLookHasTakenNoTime() {
        handlers.begin(1, new long[] {11}, Kind.PLAIN, 2_001);

        assertThat(handlers.elapsed(1, 2_000)).isZero();
    }

    @Test
    void theLongestCallIsThatWhichBeganFirstOnWhicheverThread() {
        assertThat(handlers.longest(2_000)).isZero();
        handlers.begin(0, new long[] {10}, Kind.PLAIN, 1_000);
        handlers.begin(1, new long[] {11, 12}, Kind.PLAIN, 500);
        handlers.begin(2, new long[] {13}, Kind.PLAIN, 1_500);

        assertThat(handlers.longest(2_000)).isEqualTo(Duration.ofNanos(1_500));
        handlers.end(1);
        assertThat(handlers.longest(2_000)).isEqualTo(Duration.ofNanos(1_000));
    }
}
