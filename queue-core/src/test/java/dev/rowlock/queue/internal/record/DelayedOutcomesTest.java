package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rowlock.queue.internal.run.Execution;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class DelayedOutcomesTest {

    private final DelayedOutcomes apart = new DelayedOutcomes(Duration.ofHours(1), Duration.ofHours(2));

    /** Nothing but a job: nobody runs it. */
    @SuppressWarnings("NullAway")
    private static List<PendingOutcome> entry() {
        ClaimedJob job = new ClaimedJob(
                new Claim(1, 1),
                "q",
                "t",
                1,
                0,
                Duration.ZERO,
                Duration.ZERO,
                Instant.EPOCH,
                null,
                null,
                null,
                null,
                null);
        return List.of(new PendingOutcome(new Execution(job, null, 0), new Outcome.Released(), Duration.ZERO));
    }

    @Test
    void moreOfThemDoNotPostponeTheRetry() {
        apart.add(entry());
        long due = System.nanoTime() + apart.nanosUntilDue();

        apart.add(entry());

        assertThat(System.nanoTime() + apart.nanosUntilDue()).isCloseTo(due, within(1_000_000_000L));
        assertThat(apart.size()).isEqualTo(2);
    }

    @Test
    void nothingIsDueWhereThereIsNothing() {
        assertThat(new DelayedOutcomes(Duration.ofNanos(2), Duration.ofNanos(2)).due())
                .isFalse();
    }

    @Test
    void whatComesBackIsTriedAgainLater() {
        apart.add(entry());
        List<PendingOutcome> tried = apart.take(10);

        apart.add(tried);
        apart.tried(false);

        assertThat(apart.due()).isFalse();
        assertThat(apart.take(10)).hasSize(1);
    }
}
