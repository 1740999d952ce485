package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.KeyedRound.Look;
import dev.rowlock.queue.internal.claim.key.KeyMemory;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.KeyedBatch;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Stop;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Turn;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.store.claim.LearnedKeys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When keys are looked at again, none of which could run. */
class KeyedStagesTest {

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration TOOK = Duration.ofMillis(50);

    private final KeyedRound round = new KeyedRound();
    private boolean borrows; // whether the next claim does
    private final KeyedStages stages = new KeyedStages(new KeyMemory(chance -> 0.1, System.nanoTime()), POLL);

    @Test
    void aLookThatBroughtNothingTakesATenthOfTheTimeWhileNothingHappens() {
        assertThat(rest(TOOK, true)).isEqualTo(TOOK.multipliedBy(9));
    }

    @Test
    void itComesWithEachPollOnceSomethingHappensMeanwhile() {
        assertThat(rest(TOOK, false)).isEqualTo(POLL);
    }

    @Test
    void itComesWithEachPollIfItIsQuick() {
        assertThat(rest(Duration.ofMillis(1), true)).isEqualTo(POLL);
    }

    @Test
    void itComesWithinASecondHoweverLongItTakes() {
        assertThat(rest(Duration.ofMinutes(10), true)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void itComesWhenARateAllowsTheNextJob() {
        stages.rateAllowsIn(Duration.ofSeconds(3), System.nanoTime());

        assertThat(rest(TOOK, true)).isBetween(Duration.ZERO, Duration.ofSeconds(3));
    }

    @Test
    void keysBehindThoseThatCouldNotRunAreLookedAtManyAtATime() {
        round.begin(Look.FROM_FRONT);
        assertThat(round.empty()).isFalse();

        round.seen(nothing(Duration.ofMillis(1), new Turn("key-020", 0, true)), Turn.FIRST);

        assertThat(round.empty()).isTrue();
    }

    @Test
    void keysBorrowAfterARoundWithinTheirLimitsThatBroughtNothingAndThenItIsTheOthersTurn() {
        assertThat(borrowsAfter(Stop.NONE, 0, null)).isTrue();
        assertThat(borrowsAfter(Stop.NONE, 0, null)).isFalse();
    }

    @Test
    void keysDoNotBorrowBeforeTheRoundIsOver() {
        assertThat(borrowsAfter(Stop.NONE, 0, new Turn("key-020", 0, true))).isFalse();
    }

    @Test
    void keysDoNotBorrowWhileTheQueueIsFull() {
        assertThat(borrowsAfter(Stop.QUEUE_FULL, 0, null)).isFalse();
    }

    /** Where many nodes claim, somebody always is. */
    @Test
    void keysBorrowAlsoWhereSomebodyElseIsAlwaysFillingSome() {
        assertThat(borrowsAfter(Stop.NONE, 1, null)).isFalse();
        assertThat(borrowsAfter(Stop.NONE, 1, null)).isFalse();
        assertThat(borrowsAfter(Stop.NONE, 1, null)).isTrue();
    }

    private Duration rest(Duration took, boolean quiet) {
        round.begin(Look.FROM_FRONT);
        round.seen(nothing(took, null), Turn.FIRST);
        return stages.rest(stages.borrows(), round, false, false, quiet);
    }

    /** Whether the claim after the next one lets keys borrow, if that brings nothing. */
    private boolean borrowsAfter(Stop stop, int busy, @Nullable Turn next) {
        round.begin(Look.FROM_FRONT);
        round.seen(nothing(TOOK, next, stop, busy, true), Turn.FIRST);
        stages.rest(borrows, round, false, false, true);
        borrows = stages.borrows();
        return borrows;
    }

    private static KeyedBatch nothing(Duration took, @Nullable Turn next) {
        return nothing(took, next, Stop.NONE, 0, false);
    }

    private static KeyedBatch nothing(Duration took, @Nullable Turn next, Stop stop, int busy, boolean lends) {
        return new KeyedBatch(
                new Batch(List.of(), null, null, took, true),
                10,
                next,
                stop,
                true,
                false,
                busy,
                null,
                List.of(),
                lends,
                new LearnedKeys(null, null, false, Map.of(), Map.of(), null));
    }
}
