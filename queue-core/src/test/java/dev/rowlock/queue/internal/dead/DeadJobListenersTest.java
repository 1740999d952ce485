package dev.rowlock.queue.internal.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Encryption;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A listener with an onDead becomes two, and the second one reads whatever payload the first one may have had. */
class DeadJobListenersTest {

    private final List<String> payloads = new ArrayList<>();

    static List<String> payloads() {
        return List.of(
                "[".repeat(1_000) + "]".repeat(1_000),
                "{\"number\":" + "7".repeat(2_000) + "}",
                "{\"" + "n".repeat(60_000) + "\":1}",
                "{\"price\":1.10}");
    }

    @ParameterizedTest
    @MethodSource("payloads")
    void aPayloadThatTheApplicationsMapperTakesIsRead(String payload) throws Throwable {
        ListenerDefinition onDead = listeners("book").get(1);

        onDead.handler()
                .handle(
                        null,
                        "{\"dead\":{\"id\":1,\"type\":\"book\",\"queue\":\"trips\",\"quarantined\":false,\"attempts\":1,"
                                + "\"diedAt\":\"2026-01-01T00:00:00+00:00\",\"error\":null},\"payload\":" + payload
                                + "}");

        assertThat(payloads).containsExactly(payload);
    }

    @Test
    void aTypeThatLeavesNoRoomForThatOfItsDeadJobsIsRefusedByTheNameOfItsListener() {
        int longest = Names.MAX_LENGTH - ".dead".length();
        assertThat(listeners("x".repeat(longest))).hasSize(2);

        assertThatThrownBy(() -> listeners("x".repeat(longest + 1)))
                .isInstanceOf(InvalidJobListenerException.class)
                .hasMessageContainingAll("Trips.book", "onDead", "101 characters", "former types");
    }

    private List<ListenerDefinition> listeners(String type) {
        ListenerDefinition listener = ListenerDefinition.of(type, (job, payload) -> null)
                .name("Trips.book")
                .onDead((job, dead, payload) -> payloads.add(payload));
        ListenerSource source = new ListenerSource() {
            @Override
            public List<ListenerDefinition> listeners(PayloadCodec codec, RetryPolicy retry) {
                return List.of(listener);
            }

            @Override
            public String queueOf(String any) {
                return listener.queue();
            }
        };
        return new DeadJobListeners(source, Encryption.NONE).listeners(null, RetryPolicy.DEFAULT);
    }
}
