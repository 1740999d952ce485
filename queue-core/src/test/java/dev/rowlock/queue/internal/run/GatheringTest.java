package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where an error comes while a chunk is gathered, no job stays behind. */
class GatheringTest {

    private final TestWorkplace place = new TestWorkplace();
    private final Gathering gathering = new Gathering(
            ListenerDefinition.ofChunks("Test", jobs -> ChunkResult.ALL_COMPLETED)
                    .batch(10)
                    .linger(Duration.ZERO),
            place);
    private final Execution first = TestExecution.of(1);

    @Test
    void anErrorBeforeAnythingIsGatheredPutsTheJobAside() {
        place.gatheringFails = new OutOfMemoryError("no thread");

        assertThatThrownBy(() -> gathering.gather(0, first)).isSameAs(place.gatheringFails);

        assertThat(place.outcomes.get(first)).isInstanceOf(Outcome.SetAside.class);
        assertTheNextChunkIsRunByItsThread();
    }

    @Test
    void anErrorInTheMiddlePutsAllAsideThatWereTaken() {
        List<Execution> others = List.of(TestExecution.of(2), TestExecution.of(3), TestExecution.of(4));
        place.waiting.addAll(others);
        place.notAdmitted = others.get(1);

        assertThatThrownBy(() -> gathering.gather(0, first)).isInstanceOf(IllegalStateException.class);

        assertThat(place.outcomes).containsOnlyKeys(first, others.get(0), others.get(1), others.get(2));
        assertThat(place.outcomes.values()).allMatch(Outcome.SetAside.class::isInstance);
        assertTheNextChunkIsRunByItsThread();
    }

    @Test
    void aJobThatCannotBePutAsideDoesNotKeepTheOthers() {
        Execution second = TestExecution.of(2);
        place.waiting.add(second);
        place.notAdmitted = second;
        place.notSettled = second;

        assertThatThrownBy(() -> gathering.gather(0, first))
                .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1));

        assertThat(place.outcomes).containsOnlyKeys(first);
    }

    /** It is not handed over to a thread that has left. */
    private void assertTheNextChunkIsRunByItsThread() {
        place.gatheringFails = null;
        place.notAdmitted = null;
        Execution next = TestExecution.of(9);

        assertThat(gathering.gather(1, next)).containsExactly(next);
    }
}
