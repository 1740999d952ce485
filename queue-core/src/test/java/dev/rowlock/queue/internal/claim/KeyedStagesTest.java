package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.KeyedRound.Look;
import dev.rowlock.queue.internal.claim.key.KeyMemory;
import dev.rowlock.queue.internal.claim.key.RunTimes;
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
    private final KeyedStages stages = new KeyedStages(
            new RunTimes(Map.of("mail", 1), System::nanoTime).of("mail"),
            new KeyMemory(chance -> 0.1, System.nanoTime()),
            POLL);

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

    private Duration rest(Duration took, boolean quiet) {
        round.begin(Look.FROM_FRONT);
        round.seen(nothing(took, null), Turn.FIRST);
        return stages.rest(stages.next(), round, false, false, quiet);
    }

    private static KeyedBatch nothing(Duration took, @Nullable Turn next) {
        return new KeyedBatch(
                new Batch(List.of(), null, took, true),
                10,
                next,
                Stop.NONE,
                true,
                false,
                0,
                null,
                List.of(),
                false,
                false,
                Map.of(),
                new LearnedKeys(null, null, false, Map.of(), Map.of(), null));
    }
}
