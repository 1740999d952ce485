package dev.rowlock.queue.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.spi.FetchSettings;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DemandTest {

    private static final int THREADS = 4;
    private static final FetchSettings FETCH = new FetchSettings(Duration.ofSeconds(1), Duration.ofMillis(250), 100);

    private final Handlers handlers = new Handlers(THREADS);
    private final Demand demand = new Demand(FETCH, handlers);

    @BeforeEach
    void handlersAreQuick() {
        demand.handled(Duration.ofNanos(1_000).toNanos());
    }

    @Test
    void quickHandlersHaveJobsClaimedAhead() {
        assertThat(demand.room(0)).isEqualTo(THREADS + FETCH.maxPrefetch());
    }

    @Test
    void handlersThatTakeLongerThanUsualCountBeforeTheyEnd() {
        for (int thread = 0; thread < THREADS; thread++) {
            begin(thread, Duration.ofSeconds(30));
        }

        assertThat(demand.room(THREADS)).isZero();
    }

    @Test
    void whatHandlersHaveTakenSoFarIsWhatTheNextJobsAreExpectedToTake() {
        for (int thread = 0; thread < THREADS; thread++) {
            begin(thread, Duration.ofMillis(100));
        }

        // In the 150 ms that are left of the horizon each thread begins one and a half more.
        assertThat(demand.room(0)).isBetween(THREADS, THREADS + 3 * THREADS / 2);
    }

    @Test
    void aThreadThatEndsItsJobCountsAsQuickAgain() {
        for (int thread = 0; thread < THREADS; thread++) {
            begin(thread, Duration.ofSeconds(30));
        }

        handlers.end(0);

        assertThat(demand.room(THREADS - 1)).isEqualTo(1 + FETCH.maxPrefetch());
    }

    @Test
    void aNodeThatHasGivenBackJobsClaimsOnlyForThreadsThatAreIdle() {
        demand.restrain();

        assertThat(demand.room(0)).isEqualTo(THREADS);
        assertThat(demand.room(THREADS)).isZero();
    }

    private void begin(int thread, Duration ago) {
        handlers.begin(thread, thread + 1, System.nanoTime() - ago.toNanos());
    }
}
