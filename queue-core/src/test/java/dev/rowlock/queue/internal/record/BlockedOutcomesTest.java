package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rowlock.queue.job.ClaimedJobs;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BlockedOutcomesTest {

    private final BlockedOutcomes apart = new BlockedOutcomes(Duration.ofHours(1), Duration.ofHours(2));

    private static List<PendingOutcome> entry() {
        return List.of(TestHeldJob.pending(ClaimedJobs.of(1), new Outcome.Released()));
    }

    @Test
    void furtherOutcomesDoNotPostponeTheRetry() {
        apart.add(entry());
        long due = System.nanoTime() + apart.nanosUntilDue();

        apart.add(entry());

        assertThat(System.nanoTime() + apart.nanosUntilDue()).isCloseTo(due, within(1_000_000_000L));
        assertThat(apart.size()).isEqualTo(2);
    }

    @Test
    void nothingIsDueWithoutOutcomes() {
        assertThat(new BlockedOutcomes(Duration.ofNanos(2), Duration.ofNanos(2)).due())
                .isFalse();
    }

    @Test
    void outcomesThatComeBackAreTriedAgainLater() {
        apart.add(entry());
        List<PendingOutcome> tried = apart.takeAll();

        apart.add(tried);
        apart.tried(Duration.ZERO);

        assertThat(apart.due()).isFalse();
        assertThat(apart.takeAll()).hasSize(1);
    }

    @Test
    void aLookThatTookLongIsFollowedByALongerPause() {
        BlockedOutcomes often = new BlockedOutcomes(Duration.ofNanos(2), Duration.ofNanos(2));
        often.add(entry());

        often.tried(Duration.ofSeconds(5));

        assertThat(often.nanosUntilDue()).isGreaterThan(Duration.ofSeconds(40).toNanos());
    }
}
