package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueueConcurrencyTest {

    private final WorkerSettings settings =
            new WorkerSettings(10, Map.of("decided", 3), FetchSettings.DEFAULT, Duration.ZERO, false);

    @Test
    void theDefaultAppliesIfNoListenerSetsAConcurrency() {
        assertThat(QueueConcurrency.of("mail", List.of(listener(null)), settings))
                .isEqualTo(10);
    }

    @Test
    void theConcurrencyThatListenersAgreeOnAppliesToTheirQueue() {
        assertThat(QueueConcurrency.of("mail", List.of(listener(4), listener(4)), settings))
                .isEqualTo(4);
        assertThat(QueueConcurrency.of("mail", List.of(listener(10), listener(null)), settings))
                .isEqualTo(10);
    }

    @Test
    void theConcurrencyOfOneListenerIsNotAppliedToOneThatSetsNone() {
        List<ListenerDefinition> listeners = List.of(listener(4), listener(null));

        assertThatThrownBy(() -> QueueConcurrency.of("mail", listeners, settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Test 4, Test nothing, so the default 10");
        assertThat(QueueConcurrency.of("decided", listeners, settings)).isEqualTo(3);
    }

    @Test
    void listenersThatDisagreeAreRefusedUnlessAPropertyDecides() {
        List<ListenerDefinition> listeners = List.of(listener(4), listener(5));

        assertThatThrownBy(() -> QueueConcurrency.of("mail", listeners, settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rowlock.queues.mail.concurrency");
        assertThat(QueueConcurrency.of("decided", listeners, settings)).isEqualTo(3);
    }

    private static ListenerDefinition listener(@Nullable Integer concurrency) {
        return ListenerDefinition.of("Test", (context, payload) -> null)
                .queue("mail")
                .concurrency(concurrency);
    }
}
