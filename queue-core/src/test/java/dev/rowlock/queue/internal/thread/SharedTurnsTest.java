package dev.rowlock.queue.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SharedTurnsTest {

    private final SharedTurns turns = new SharedTurns(Duration.ofMillis(200), 0);

    @Test
    void whoeverAsksAfterARestHasATurnAtOnce() {
        assertThat(ask(5_000)).isZero();
        assertThat(ask(5_200)).isZero();
        assertThat(ask(9_000)).isZero();
    }

    @Test
    void allWhoAskWithinTheIntervalShareTheNextTurn() {
        ask(1_000);

        assertThat(ask(1_001)).isEqualTo(199);
        assertThat(ask(1_150)).isEqualTo(50);
        assertThat(ask(1_199)).isEqualTo(1);
    }

    @Test
    void whoeverAsksBehindASharedTurnWaitsForTheOneAfterIt() {
        ask(1_000);
        ask(1_100); // has the one of 1,200

        assertThat(ask(1_201)).isEqualTo(199);
        assertThat(ask(1_601)).as("a rest since 1,400").isZero();
    }

    @Test
    void thousandsWhoAskGetFiveTurnsASecond() {
        Set<Long> begun = new HashSet<>();
        for (long now = 0; now < 10_000; now++) {
            begun.add(now + ask(now));
        }

        assertThat(begun).hasSize(51);
    }

    private long ask(long millis) {
        return turns.ask(Duration.ofMillis(millis).toNanos()).toMillis();
    }
}
