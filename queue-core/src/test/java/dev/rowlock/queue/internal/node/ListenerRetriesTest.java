package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Failure;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.RetryStrategy;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ListenerRetriesTest {

    @Test
    void waitsGrowUpToTheLongest() {
        RetryPolicy policy = RetryPolicy.exponential(Duration.ofSeconds(1), 3, Duration.ofSeconds(10))
                .maxRetries(5);

        assertThat(json(policy))
                .isEqualTo(
                        "{\"send\":{\"maxRetries\":5,\"waits\":[1000,3000,9000,10000],\"jitter\":0.2,\"longest\":10000}}");
    }

    @Test
    void waitsThatDoNotGrowAreKeptAsOne() {
        assertThat(json(RetryPolicy.fixed(Duration.ZERO).maxRetries(5)))
                .isEqualTo("{\"send\":{\"maxRetries\":5,\"waits\":[0]}}");
    }

    @Test
    void intervalsAndTheTimeToGiveUpAreKeptAsTheyAre() {
        RetryPolicy policy = RetryPolicy.intervals(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(5))
                .giveUpAfter(Duration.ofDays(1));

        assertThat(json(policy))
                .isEqualTo("{\"send\":{\"maxRetries\":10000,\"waits\":[1000,1000,5000],\"giveUpAfter\":86400000}}");
    }

    @Test
    void onlyTheFirstOfEndlesslyGrowingWaitsAreKept() {
        String json = json(RetryPolicy.exponential(Duration.ofSeconds(1), 1.01, Duration.ofDays(1)));

        assertThat(json.split(",")).hasSize(23); // twenty, and what stands before and after
    }

    @Test
    void theFallbackCountsForAStrategyThatOtherNodesCannotAsk() {
        RetryStrategy mine = new RetryStrategy() {
            @Override
            public Optional<Due> next(Failure failure) {
                return Optional.empty();
            }

            @Override
            public RetryPolicy fallback() {
                return TestNode.QUICK;
            }
        };

        assertThat(json(mine)).isEqualTo("{\"send\":{\"maxRetries\":3,\"waits\":[20]}}");
    }

    private static String json(RetryStrategy strategy) {
        return NodeParts.retries(Stream.of(
                ListenerDefinition.of("send", (context, payload) -> null).retry(strategy)));
    }
}
