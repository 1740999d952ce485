package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.ClaimedJobs;
import dev.rowlock.queue.job.Outcome;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutcomePartsTest {

    private static final List<PendingOutcome> BATCH =
            IntStream.range(0, 12).mapToObj(OutcomePartsTest::outcome).toList();

    @Test
    void eachTypeIsTriedByItselfAtFirst() {
        assertThat(OutcomeParts.of(BATCH, 1))
                .hasSize(3)
                .allSatisfy(part -> assertThat(part)
                        .hasSize(4)
                        .extracting(entry -> entry.job().type())
                        .containsOnly(part.get(0).job().type()));
    }

    @Test
    void partsBecomeSmallerUntilEachOutcomeIsTriedByItself() {
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
        return TestHeldJob.pending(ClaimedJobs.of(number, "type-" + number % 3), new Outcome.Completed(null));
    }
}
