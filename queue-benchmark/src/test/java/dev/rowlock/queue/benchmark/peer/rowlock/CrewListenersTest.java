package dev.rowlock.queue.benchmark.peer.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.spi.ListenerDefinition;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class CrewListenersTest {

    @Test
    void aCrewListensToAsManyQueuesAsAskedFor() {
        CrewListeners listeners = new CrewListeners();

        listeners.serve(Crew.of(2).on(3), Probe.counting());

        assertThat(listeners.listeners(new JacksonPayloadCodec(new JsonMapper()), RetryPolicy.never()))
                .extracting(ListenerDefinition::queue)
                .containsExactly("default", "default-2", "default-3");
    }
}
