package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.settings.FetchSettings;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PrefetchLimitTest {

    private static final int THREADS = 4;
    private static final FetchSettings FETCH = new FetchSettings(Duration.ofSeconds(1), Duration.ofMillis(250), 100);

    private final RunningHandlers handlers = new RunningHandlers(THREADS);
    private final PrefetchLimit limit = new PrefetchLimit(FETCH, handlers);

    @BeforeEach
    void handlersAreQuick() {
        limit.handled(Duration.ofNanos(1_000).toNanos());
    }

    @Test
    void quickHandlersHaveJobsClaimedAhead() {
        assertThat(limit.free(0)).isEqualTo(THREADS + FETCH.maxPrefetch());
    }

    @Test
    void nothingIsClaimedAheadUntilAHandlerHasEnded() {
        assertThat(new PrefetchLimit(FETCH, handlers).free(0)).isEqualTo(THREADS);
    }

    @Test
    void eachThreadOfAQueueOfChunksHasAWholeChunkClaimed() {
        PrefetchLimit chunks = new PrefetchLimit(FETCH, new RunningHandlers(THREADS, 500), 500);

        assertThat(chunks.most()).isEqualTo(THREADS * 500 + FETCH.maxPrefetch());
        assertThat(chunks.free(0)).isEqualTo(THREADS * 500);
    }

    @Test
    void nothingMoreIsClaimedForAThreadThatRunsASmallChunk() {
        RunningHandlers running = new RunningHandlers(1, 500);
        PrefetchLimit chunks = new PrefetchLimit(FETCH, running, 500);

        running.begin(0, new long[] {1, 2, 3}, System.nanoTime());

        assertThat(chunks.free(3)).isZero();
    }

    @Test
    void ofACallEachJobHasItsShare() {
        RunningHandlers running = new RunningHandlers(1, 500);
        PrefetchLimit chunks = new PrefetchLimit(FETCH, running, 500);

        chunks.handled(Duration.ofSeconds(1).toNanos(), 500);

        // 2 ms each: 125 would begin within the horizon.
        assertThat(chunks.free(0)).isEqualTo(500 + FETCH.maxPrefetch());
    }

    @Test
    void slowerHandlersGraduallyHaveFewerJobsClaimedAhead() {
        limit.free(0);

        limit.handled(Duration.ofMillis(50).toNanos());
        limit.handled(Duration.ofMillis(150).toNanos());
        // 100 ms weigh 0.3: of jobs that take 30 ms each thread begins 8 1/3 within the horizon.
        assertThat(limit.free(0)).isEqualTo(THREADS + 33);

        limit.handled(Duration.ofMillis(100).toNanos());
        // Now 51 ms: 4.9 for each thread.
        assertThat(limit.free(0)).isEqualTo(THREADS + 19);
    }

    @Test
    void aFewMoreJobsAreNotWorthAClaim() {
        assertThat(limit.lowWater()).isEqualTo(53);

        assertThat(limit.free(54)).isZero();
        assertThat(limit.free(53)).isEqualTo(51);
    }

    @Test
    void noMoreJobsAreClaimedThanThreadsAndPrefetchAllow() {
        assertThat(limit.most()).isEqualTo(104);
    }

    @Test
    void handlersThatTakeLongerThanUsualCountBeforeTheyEnd() {
        for (int thread = 0; thread < THREADS; thread++) {
            begin(thread, Duration.ofSeconds(30));
        }

        assertThat(limit.free(THREADS)).isZero();
    }

    @Test
    void theNextJobsAreExpectedToTakeAsLongAsRunningHandlersHaveSoFar() {
        for (int thread = 0; thread < THREADS; thread++) {
            begin(thread, Duration.ofMillis(100));
        }

        // In the 150 ms that are left of the horizon each thread begins one and a half more.
        assertThat(limit.free(0)).isBetween(THREADS, THREADS + 3 * THREADS / 2);
    }

    @Test
    void aThreadThatEndsItsJobCountsAsQuickAgain() {
        for (int thread = 0; thread < THREADS; thread++) {
            begin(thread, Duration.ofSeconds(30));
        }

        handlers.end(0);

        assertThat(limit.free(THREADS - 1)).isEqualTo(1 + FETCH.maxPrefetch());
    }

    @Test
    void aNodeThatHasGivenBackJobsClaimsOnlyForThreadsThatAreIdle() {
        limit.restrain();

        assertThat(limit.free(0)).isEqualTo(THREADS);
        assertThat(limit.free(THREADS)).isZero();
    }

    private void begin(int thread, Duration ago) {
        handlers.begin(thread, thread + 1, System.nanoTime() - ago.toNanos());
    }
}
