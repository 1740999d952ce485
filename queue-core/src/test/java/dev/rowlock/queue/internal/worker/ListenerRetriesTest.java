package dev.rowlock.queue.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ListenerRetriesTest {

    @Test
    void waitsGrowUpToTheLongest() {
        RetryPolicy policy = new RetryPolicy(5, Duration.ofSeconds(1), 3, Duration.ofSeconds(10), 0.5);

        assertThat(ListenerRetries.of(policy))
                .isEqualTo(new ListenerRetries(5, List.of(1_000L, 3_000L, 9_000L, 10_000L)));
    }

    @Test
    void waitsThatDoNotGrowAreOne() {
        RetryPolicy policy = new RetryPolicy(5, Duration.ZERO, 1, Duration.ofSeconds(10), 0.5);

        assertThat(ListenerRetries.of(policy).waits()).containsExactly(0L);
    }

    @Test
    void ofWaitsThatGrowForEverTheFirstAreKept() {
        RetryPolicy policy = new RetryPolicy(5, Duration.ofSeconds(1), 1.01, Duration.ofDays(1), 0.5);

        assertThat(ListenerRetries.of(policy).waits()).hasSize(20).isSorted();
    }

    @Test
    void eachTypeHasItsOwn() {
        ListenerDefinition listener =
                ListenerDefinition.of("send", (context, payload) -> null).retry(TestNode.QUICK);

        assertThat(ListenerRetries.json(Stream.of(listener))).isEqualTo("{\"send\":{\"maxRetries\":3,\"waits\":[20]}}");
    }
}
