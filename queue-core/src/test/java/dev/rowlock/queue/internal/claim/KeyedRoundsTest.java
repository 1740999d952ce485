package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.claim.KeyedBatch.Learned;
import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
import dev.rowlock.queue.internal.claim.KeyedRounds.Seen;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyedRoundsTest {

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration TOOK = Duration.ofMillis(50);
    private static final Look FURTHER = new Look("key-020", 0, true);

    private long now = System.nanoTime();
    private final KeyCursor cursor = new KeyCursor(chance -> 0.1, now);
    private final KeyedRounds rounds = new KeyedRounds(cursor, POLL);

    @Test
    void aRoundThatBroughtNothingTakesATenthOfTheTime() {
        assertThat(rest(TOOK, true, null)).isEqualTo(TOOK.multipliedBy(9));
    }

    @Test
    void itComesWithEachPollIfItIsQuick() {
        assertThat(rest(Duration.ofMillis(1), true, null)).isEqualTo(POLL);
    }

    @Test
    void itComesWithinSecondsHoweverLongItTakes() {
        assertThat(rest(Duration.ofMinutes(10), true, null)).isEqualTo(Duration.ofSeconds(5));
        assertThat(rest(Duration.ofMinutes(10), false, null)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void itComesWhenARateAllowsTheNextJob() {
        assertThat(rest(Duration.ofMinutes(10), true, Duration.ofSeconds(3))).isEqualTo(Duration.ofSeconds(3));
        assertThat(rest(Duration.ofMinutes(10), true, Duration.ofNanos(1)))
                .as("not sooner than others that are free by then")
                .isEqualTo(Duration.ofMillis(5));
    }

    @Test
    void wordThatComesInTheMidstOfARoundIsLookedForAtItsEnd() {
        rounds.next(true, now);
        over(nothing(FURTHER, Stop.NONE, 0, false));
        rounds.next(true, now);

        assertThat(rounds.over(nothing(null, Stop.NONE, 0, false), new Seen(true, false, true), now))
                .isLessThan(TOOK.multipliedBy(9));
        rounds.next(false, now);
        assertThat(rounds.over(nothing(null, Stop.NONE, 0, false), new Seen(true, false, true), now))
                .isGreaterThanOrEqualTo(TOOK.multipliedBy(9));
    }

    @Test
    void keysBehindThoseThatCouldNotRunAreLookedAtManyAtATime() {
        assertThat(rounds.next(false, now).wide()).isFalse();

        over(nothing(FURTHER, Stop.NONE, 0, false));

        assertThat(rounds.next(false, now)).isEqualTo(FURTHER.widely(true));
    }

    @Test
    void keysBorrowAfterARoundWithinTheirLimitsThatBroughtNothingAndThenItIsTheOthersTurn() {
        assertThat(borrowsAfter(Stop.NONE, 0, null)).isTrue();
        assertThat(rounds.next(false, now).borrows()).isTrue();
        assertThat(borrowsAfter(Stop.NONE, 0, null)).isFalse();
    }

    @Test
    void keysDoNotBorrowBeforeTheRoundIsOver() {
        assertThat(borrowsAfter(Stop.NONE, 0, FURTHER)).isFalse();
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

    /** Those are only some of the keys. */
    @Test
    void keysDoNotBorrowAfterRoundsThroughKnownKeysInWhichSomebodyElseWasFillingSome() {
        cursor.name("a");
        cursor.addNamed();
        KeyedBatch slow = batch(Duration.ofMinutes(1), null, Stop.NONE, 1, true, null);
        rounds.next(false, now);
        cursor.learn(slow, true, List.of());
        over(slow);
        cursor.addNamed();

        for (int i = 0; i < 5; i++) {
            cursor.name("a");
            cursor.addNamed();
            assertThat(borrowsAfter(Stop.NONE, 1, null)).isFalse();
            assertThat(rounds.walks()).isFalse();
        }
        now += Duration.ofHours(1).toNanos();
        assertThat(borrowsAfter(Stop.NONE, 1, null)).isTrue();
    }

    /** The node had no thread meanwhile, or no turn. */
    @Test
    void keysDoNotBorrowAfterARoundThatStoodStill() {
        assertThat(borrowsAfter(Stop.NONE, 0, FURTHER)).isFalse();
        now += Duration.ofMinutes(10).toNanos();

        rounds.next(false, now);
        assertThat(rounds.over(nothing(null, Stop.NONE, 0, true), new Seen(true, false, true), now))
                .isZero();
        assertThat(rounds.borrows()).isFalse();

        assertThat(borrowsAfter(Stop.NONE, 0, null)).isTrue();
    }

    @Test
    void keysDoNotBorrowLongAfterTheLook() {
        assertThat(borrowsAfter(Stop.NONE, 0, null)).isTrue();
        now += Duration.ofMinutes(10).toNanos();

        assertThat(rounds.next(false, now).borrows()).isFalse();
    }

    @Test
    void whoIsRefusedATurnToBorrowLooksForOwnersOnceMore() {
        assertThat(borrowsAfter(Stop.NONE, 0, null)).isTrue();

        rounds.refused();

        assertThat(rounds.borrows()).isFalse();
    }

    private Duration rest(Duration took, boolean told, @Nullable Duration untilRate) {
        rounds.next(false, now);
        return rounds.over(batch(took, null, Stop.NONE, 0, false, untilRate), new Seen(true, false, told), now);
    }

    /** Whether the claim after the next one lets keys borrow, if that brings nothing. */
    private boolean borrowsAfter(Stop stop, int busy, @Nullable Look next) {
        rounds.next(false, now);
        over(nothing(next, stop, busy, true));
        return rounds.borrows();
    }

    private void over(KeyedBatch batch) {
        rounds.over(batch, new Seen(true, false, true), now);
    }

    private static KeyedBatch nothing(@Nullable Look next, Stop stop, int busy, boolean lends) {
        return batch(TOOK, next, stop, busy, lends, null);
    }

    private static KeyedBatch batch(
            Duration took, @Nullable Look next, Stop stop, int busy, boolean lends, @Nullable Duration untilRate) {
        return new KeyedBatch(
                new Batch(List.of(), null, null, took, true),
                10,
                next,
                stop,
                true,
                false,
                busy,
                untilRate,
                List.of(),
                lends,
                false,
                200,
                new Learned(null, null, Map.of(), Map.of(), null));
    }
}
