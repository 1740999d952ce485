package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.lease.BeatNode.Place;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When the nodes of a fleet look for jobs that they have all heard of. */
class FetcherTest {

    private static final int NODES = 5;
    private static final int CONCURRENCY = 10;

    @Test
    void oneNodeAndASpareOneLookAtOnceForASingleJobAndTheOthersFollow() {
        assertThat(waits(0, 1)).containsExactly(0L, 0L, 5L, 10L, 15L);
    }

    @Test
    void aDifferentNodeIsFirstEachTime() {
        assertThat(waits(1, 1)).containsExactly(15L, 0L, 0L, 5L, 10L);
        assertThat(waits(4, 1)).containsExactly(0L, 5L, 10L, 15L, 0L);
        assertThat(waits(Integer.MAX_VALUE, 1)).containsExactly(10L, 15L, 0L, 0L, 5L); // 2^31 - 1 = 2 (mod 5)
        assertThat(waits(-1, 1)).containsExactlyElementsOf(waits(4, 1));
    }

    @Test
    void asManyNodesLookAtOnceAsItTakesToRunAllJobs() {
        assertThat(waits(0, CONCURRENCY)).containsExactly(0L, 0L, 5L, 10L, 15L);
        assertThat(waits(0, CONCURRENCY + 1)).containsExactly(0L, 0L, 0L, 10L, 15L);
        assertThat(waits(0, 1_000_000)).containsOnly(0L);
    }

    @Test
    void aNodeByItselfAlwaysLooksAtOnce() {
        assertThat(Fetcher.lookIn(Place.ALONE, 17, 1, 1)).isZero();
    }

    @Test
    void aNodeByItselfDoesNotWaitForNodesThatKnowMoreTypes() {
        assertThat(Fetcher.courtesy(Place.ALONE)).isZero();
        assertThat(Fetcher.courtesy(new Place(2, 0))).isPositive();
    }

    private static List<Long> waits(int first, long jobs) {
        return IntStream.range(0, NODES)
                .mapToObj(number -> Fetcher.lookIn(new Place(NODES, number), first, jobs, CONCURRENCY))
                .map(Duration::toMillis)
                .toList();
    }
}
