package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutcomePartsTest {

    private static final List<PendingOutcome> BATCH =
            IntStream.range(0, 12).mapToObj(OutcomePartsTest::outcome).toList();

    @Test
    void atFirstEachTypeIsTriedByItself() {
        assertThat(OutcomeParts.of(BATCH, 1))
                .hasSize(3)
                .allSatisfy(part -> assertThat(part)
                        .hasSize(4)
                        .extracting(entry -> entry.job().type())
                        .containsOnly(part.get(0).job().type()));
    }

    @Test
    void thenPartsBecomeSmallerUntilEachOutcomeIsTriedByItself() {
        assertThat(OutcomeParts.of(BATCH, 2)).extracting(List::size).containsExactly(6, 6);
        assertThat(OutcomeParts.of(BATCH, 3)).extracting(List::size).containsExactly(3, 3, 3, 3);
        assertThat(OutcomeParts.of(BATCH, 5)).hasSize(12);
        assertThat(OutcomeParts.of(BATCH, Integer.MAX_VALUE)).hasSize(12);
    }

    @Test
    void nothingIsLeftOut() {
        assertThat(OutcomeParts.of(BATCH, 1)).flatMap(part -> part).containsExactlyInAnyOrderElementsOf(BATCH);
        assertThat(OutcomeParts.of(BATCH, 4)).flatMap(part -> part).containsExactlyInAnyOrderElementsOf(BATCH);
    }

    private static PendingOutcome outcome(int number) {
        ClaimedJob job = new ClaimedJob(
                new Claim(number, number),
                "mail",
                "type-" + number % 3,
                1,
                0,
                Duration.ZERO,
                Duration.ZERO,
                Instant.EPOCH,
                "{}",
                null,
                null,
                null,
                null);
        HeldJob held = new HeldJob() {
            @Override
            public ClaimedJob job() {
                return job;
            }

            @Override
            public boolean letGo() {
                return true;
            }
        };
        return new PendingOutcome(held, new Outcome.Completed(null), Duration.ZERO);
    }
}
