package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.payload.PayloadConverter;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Jobs that were stored under a name that their type had before. */
class FormerTypesTest extends NodeTest {

    /** As it was. */
    record Hello(String who) {}

    private final JacksonPayloadCodec codec =
            new JacksonPayloadCodec(JsonMapper.builder().build(), List.of(PayloadConverter.of(Greet.class, json -> {
                ((ObjectNode) json).set("name", json.get("who"));
                ((ObjectNode) json).remove("who");
                return json;
            })));

    @Test
    void aJobOfAFormerTypeRunsAtTheCurrentListener() {
        JobHandler handler =
                (context, payload) -> context.type() + " " + ((Greet) codec.decode(payload, Greet.class)).name();
        long old = node.jobs.enqueue(new Hello("Ada"));
        node.listener(Greet.class, handler, listener -> listener.formerTypes(List.of("Hello")))
                .start();

        node.awaitState(old, JobState.COMPLETED);

        assertThat(node.search.find(old).orElseThrow().result()).isEqualTo("\"Hello Ada\"");
    }

    @Test
    void theTimeoutOfTheListenerHoldsForFormerTypesToo() {
        long old = node.jobs.enqueue(new Hello("Ada"), o -> o.maxRetries(0));
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            new java.util.concurrent.CountDownLatch(1).await();
                            return null;
                        },
                        listener -> listener.formerTypes(List.of("Hello")).timeout(Duration.ofMillis(20)))
                .start();

        node.awaitState(old, JobState.DEAD);
    }

    @Test
    void otherNodesKnowTheRetriesOfFormerTypesToo() {
        ListenerDefinition listener = ListenerDefinition.of("greet", (context, payload) -> null)
                .formerTypes(List.of("Hello", "greet"))
                .retry(TestNode.QUICK);

        assertThat(listener.types()).containsExactly("greet", "Hello");
        assertThat(NodeParts.retries(Stream.of(listener)))
                .isEqualTo("{\"greet\":{\"maxRetries\":3,\"waits\":[20]},\"Hello\":{\"maxRetries\":3,\"waits\":[20]}}");
    }
}
