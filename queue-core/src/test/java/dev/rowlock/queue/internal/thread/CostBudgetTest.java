package dev.rowlock.queue.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CostBudgetTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private final CostBudget twentieth = new CostBudget(chance -> 0.05, 0);

    @Test
    void theFirstUseIsAllowedAtOnce() {
        assertThat(twentieth.allowedIn(0)).isZero();
    }

    @Test
    void theNextUseMustWaitLongAfterALongOne() {
        twentieth.took(Duration.ofMillis(1), 0);

        assertThat(twentieth.allowedIn(0)).isEqualTo(19 * MILLI);
        assertThat(twentieth.allowedIn(15 * MILLI)).isEqualTo(4 * MILLI);
        assertThat(twentieth.allowedIn(20 * MILLI)).isZero();
    }

    @Test
    void aSlowFirstUseSaysLittleAboutTheNext() {
        twentieth.took(Duration.ofSeconds(1), 0);

        assertThat(twentieth.allowedIn(0)).isEqualTo(190 * MILLI);

        twentieth.took(Duration.ofSeconds(1), 0);
        assertThat(twentieth.allowedIn(0)).isEqualTo(19 * SECOND / 8);
    }

    @Test
    void aSingleStallOnlyDoublesTheCost() {
        twentieth.took(Duration.ofMillis(1), 0);
        twentieth.took(Duration.ofMillis(16), 0);

        assertThat(twentieth.allowedIn(0)).isEqualTo(38 * MILLI);
    }

    @Test
    void aSuddenCostOfSecondsCountsByAnEighthAtOnceAndFullySoon() {
        twentieth.took(Duration.ofMillis(1), 0);
        twentieth.took(Duration.ofSeconds(16), 0);

        assertThat(twentieth.allowedIn(0)).isEqualTo(38 * SECOND);

        for (int i = 0; i < 3; i++) {
            twentieth.took(Duration.ofSeconds(16), 0);
        }
        assertThat(twentieth.allowedIn(0)).isEqualTo(304 * SECOND);
    }

    @Test
    void aUseThatBecomesCheapAgainCountsAtOnce() {
        twentieth.took(Duration.ofSeconds(16), 0);
        twentieth.took(Duration.ofSeconds(16), 0);
        twentieth.took(Duration.ofMillis(1), 0);

        assertThat(twentieth.allowedIn(0)).isEqualTo(19 * MILLI);
    }

    @Test
    void theShareOfTheMomentCountsNotTheOneOfTheLastUse() {
        double[] share = {0.05};
        CostBudget budget = new CostBudget(chance -> share[0], 0);
        budget.took(Duration.ofMillis(1), 0);
        assertThat(budget.allowedIn(0)).isEqualTo(19 * MILLI);

        share[0] = 0.01; // five times as many share it now

        assertThat(budget.allowedIn(0)).isEqualTo(99 * MILLI);
    }

    @Test
    void chanceIsDrawnOnceForEachWait() {
        CostBudget budget = new CostBudget(chance -> 0.5 * chance, 0);
        budget.took(Duration.ofMillis(1), 0);
        long wait = budget.allowedIn(0);

        assertThat(LongStream.generate(() -> budget.allowedIn(0)).limit(100)).containsOnly(wait);

        Set<Long> others = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            budget.took(Duration.ofMillis(1), 0);
            others.add(budget.allowedIn(0));
        }
        assertThat(others).hasSizeGreaterThan(1);
    }
}
