package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.Kind;
import dev.rowlock.queue.internal.run.Buffer.Share;
import dev.rowlock.queue.settings.FetchSettings;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PrefetchLimitTest {

    private static final int THREADS = 4;
    private static final FetchSettings FETCH = new FetchSettings(Duration.ofSeconds(1), Duration.ofMillis(250), 100);

    private final RunningHandlers handlers = new RunningHandlers(THREADS, 1);
    private final PrefetchLimit limit = new PrefetchLimit(FETCH, handlers);

    @BeforeEach
    void handlersAreQuick() {
        limit.handled(Kind.PLAIN, Duration.ofNanos(1_000).toNanos(), 1);
    }

    @Test
    void quickHandlersHaveJobsClaimedAhead() {
        assertThat(free(limit, 0)).isEqualTo(THREADS + FETCH.maxPrefetch());
    }

    @Test
    void nothingIsClaimedAheadUntilAHandlerHasEnded() {
        assertThat(free(new PrefetchLimit(FETCH, handlers), 0)).isEqualTo(THREADS);
    }

    @Test
    void eachThreadOfAQueueOfChunksHasAWholeChunkClaimed() {
        PrefetchLimit chunks = new PrefetchLimit(FETCH, new RunningHandlers(THREADS, 500));

        assertThat(free(chunks, 0)).isEqualTo(THREADS * 500);
    }

    @Test
    void nothingMoreIsClaimedForAThreadThatRunsASmallChunk() {
        RunningHandlers running = new RunningHandlers(1, 500);
        PrefetchLimit chunks = new PrefetchLimit(FETCH, running);

        running.begin(0, new long[] {1, 2, 3}, Kind.PLAIN, System.nanoTime());

        assertThat(free(chunks, 3)).isZero();
    }

    @Test
    void ofACallEachJobHasItsShare() {
        RunningHandlers running = new RunningHandlers(1, 500);
        PrefetchLimit chunks = new PrefetchLimit(FETCH, running);

        chunks.handled(Kind.PLAIN, Duration.ofSeconds(1).toNanos(), 500);

        // 2 ms each: 125 would begin within the horizon.
        assertThat(free(chunks, 0)).isEqualTo(500 + FETCH.maxPrefetch());
    }

    @Test
    void slowerHandlersGraduallyHaveFewerJobsClaimedAhead() {
        free(limit, 0);

        limit.handled(Kind.PLAIN, Duration.ofMillis(50).toNanos(), 1);
        limit.handled(Kind.PLAIN, Duration.ofMillis(150).toNanos(), 1);
        // 100 ms weigh 0.3: of jobs that take 30 ms each thread begins 8 1/3 within the horizon.
        assertThat(free(limit, 0)).isEqualTo(THREADS + 33);

        limit.handled(Kind.PLAIN, Duration.ofMillis(100).toNanos(), 1);
        // Now 51 ms: 4.9 for each thread.
        assertThat(free(limit, 0)).isEqualTo(THREADS + 19);
    }

    @Test
    void aFewMoreJobsAreNotWorthAClaim() {
        assertThat(limit.lowWater(Kind.PLAIN, FETCH.prefetchHorizon(), alone(0)))
                .isEqualTo(53);

        assertThat(free(limit, 54)).isZero();
        assertThat(free(limit, 53)).isEqualTo(51);
    }

    @Test
    void handlersThatTakeLongerThanUsualCountBeforeTheyEnd() {
        for (int thread = 0; thread < THREADS; thread++) {
            begin(thread, Duration.ofSeconds(30));
        }

        assertThat(free(limit, THREADS)).isZero();
    }

    @Test
    void theNextJobsAreExpectedToTakeAsLongAsRunningHandlersHaveSoFar() {
        for (int thread = 0; thread < THREADS; thread++) {
            begin(thread, Duration.ofMillis(100));
        }

        // In the 150 ms that are left of the horizon each thread begins one and a half more.
        assertThat(free(limit, 0)).isBetween(THREADS, THREADS + 3 * THREADS / 2);
    }

    @Test
    void aThreadThatEndsItsJobCountsAsQuickAgain() {
        for (int thread = 0; thread < THREADS; thread++) {
            begin(thread, Duration.ofSeconds(30));
        }

        handlers.end(0);

        assertThat(free(limit, THREADS - 1)).isEqualTo(1 + FETCH.maxPrefetch());
    }

    @Test
    void aNodeThatHasGivenBackJobsClaimsOnlyForThreadsThatAreIdle() {
        limit.restrain();

        assertThat(free(limit, 0)).isEqualTo(THREADS);
        assertThat(free(limit, THREADS)).isZero();
    }

    @Test
    void aKindThatSharesTheThreadsClaimsForItsShareOfThemAlone() {
        PrefetchLimit fresh = new PrefetchLimit(FETCH, handlers);

        assertThat(shared(fresh, 0, 0, 2)).isEqualTo(2);
        assertThat(shared(fresh, 0, 0, 1.5)).isEqualTo(2);
        assertThat(shared(fresh, 0, 3, 2))
                .as("threads that others wait for are not free")
                .isOne();
    }

    @Test
    void aKindThatHasMoreThanItsShareOfTheThreadsClaimsNothing() {
        for (int thread = 0; thread < 3; thread++) {
            begin(thread, Kind.KEYED, Duration.ZERO);
        }

        assertThat(shared(limit, 3, 0, 2)).isZero();
    }

    @Test
    void nothingIsClaimedAheadForThreadsThatRunLongJobsOfTheOtherKind() {
        limit.handled(Kind.KEYED, Duration.ofMillis(1).toNanos(), 1);
        for (int thread = 0; thread < THREADS; thread++) {
            begin(thread, Kind.PLAIN, Duration.ofSeconds(30));
        }

        assertThat(shared(limit, THREADS, 0, 2)).isZero();
    }

    @Test
    void jobsAreClaimedAheadForThreadsThatEndShortJobsOfTheOtherKind() {
        limit.handled(Kind.KEYED, Duration.ofMillis(5).toNanos(), 1);
        for (int thread = 0; thread < THREADS; thread++) {
            handlers.begin(
                    thread,
                    new long[] {thread + 1},
                    Kind.PLAIN,
                    System.nanoTime() + Duration.ofMinutes(1).toNanos());
        }

        // Two threads are its share, each begins two of its jobs in 10 ms.
        assertThat(shared(limit, THREADS, 0, 2)).isEqualTo(4);
    }

    private static int shared(PrefetchLimit limit, int begun, int others, double threads) {
        return limit.free(Kind.KEYED, Duration.ofMillis(10), begun, new Share(0, others, false, threads));
    }

    private void begin(int thread, Duration ago) {
        begin(thread, Kind.PLAIN, ago);
    }

    private void begin(int thread, Kind kind, Duration ago) {
        handlers.begin(thread, new long[] {thread + 1}, kind, System.nanoTime() - ago.toNanos());
    }

    private static int free(PrefetchLimit limit, int held) {
        return limit.free(Kind.PLAIN, FETCH.prefetchHorizon(), held, alone(0));
    }

    private static Share alone(int waiting) {
        return new Share(waiting, 0, true, THREADS / 2.0);
    }
}
