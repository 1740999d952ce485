package dev.rowlock.queue.spring;

import static dev.rowlock.queue.spring.Scan.assertInvalid;
import static dev.rowlock.queue.spring.Scan.only;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.Chunking;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spring.Scan.Order;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Methods that take many jobs. */
class ChunkMethodsTest {

    static class Payloads {
        @JobListener(batch = "500", linger = "50ms", transactional = true)
        void index(List<Order> orders) {}
    }

    @Test
    void aListOfPayloadsIsAChunk() {
        ListenerDefinition listener = only(Payloads.class);

        assertThat(listener.type()).isEqualTo("Order");
        assertThat(listener.transactional()).isTrue();
        assertThat(listener.chunking()).returns(500, Chunking::batch).returns(Duration.ofMillis(50), Chunking::linger);
    }

    static class Jobs {
        @JobListener(batch = "${no.such.property:20}")
        ChunkResult index(List<ChunkJob<Order>> orders) {
            return ChunkResult.ALL_COMPLETED;
        }
    }

    @Test
    void aListOfJobsIsAChunkAndAttributesTakePlaceholders() {
        ListenerDefinition listener = only(Jobs.class);

        assertThat(listener.type()).isEqualTo("Order");
        assertThat(listener.chunking()).returns(20, Chunking::batch).returns(Chunking.DEFAULT_LINGER, Chunking::linger);
    }

    /** As Kotlin writes a List of a class that is open. */
    static class Covariant {
        @JobListener(batch = "20")
        void index(List<? extends Order> orders) {}
    }

    @Test
    void aListOfWhatExtendsThePayloadIsAChunk() {
        assertThat(only(Covariant.class).type()).isEqualTo("Order");
    }

    static class LingerWithoutBatch {
        @JobListener(linger = "50ms")
        void send(Order order) {}
    }

    static class LingerWithoutBatchOnAList {
        @JobListener(linger = "50ms")
        void send(List<Order> orders) {}
    }

    static class BatchOfOne {
        @JobListener(batch = "10")
        void send(Order order) {}
    }

    static class ListWithoutBatch {
        @JobListener
        void send(List<Order> orders) {}
    }

    static class TooLarge {
        @JobListener(batch = "10001")
        void send(List<Order> orders) {}
    }

    static class TooLong {
        @JobListener(batch = "10", linger = "1m")
        void send(List<Order> orders) {}
    }

    static class NoNumber {
        @JobListener(batch = "many")
        void send(List<Order> orders) {}
    }

    static class OneContext {
        @JobListener(batch = "10")
        void send(List<Order> orders, JobContext context) {}
    }

    static class ResultWithoutIds {
        @JobListener(batch = "10")
        ChunkResult send(List<Order> orders) {
            return ChunkResult.ALL_COMPLETED;
        }
    }

    static class KeepsResult {
        @JobListener(batch = "10", keepResult = true)
        void send(List<Order> orders) {}
    }

    static class AnyCollection {
        @JobListener(batch = "10")
        void send(Collection<Order> orders) {}
    }

    static class Wildcard {
        @JobListener(batch = "10")
        void send(List<? super Order> orders) {}
    }

    static class RawList {
        @JobListener(batch = "10")
        @SuppressWarnings("rawtypes")
        void send(List orders) {}
    }

    static class PlainValues {
        @JobListener(batch = "10")
        void send(List<String> orders) {}
    }

    @Test
    void whatCannotWorkStopsTheStartAndSaysWhy() {
        assertInvalid(LingerWithoutBatch.class, "linger '50ms'", "there is no batch", "remove linger");
        assertInvalid(LingerWithoutBatchOnAList.class, "linger '50ms'", "there is no batch");
        assertInvalid(BatchOfOne.class, "batch '10'", "take a List<Order> or a List<ChunkJob<Order>>");
        assertInvalid(ListWithoutBatch.class, "it takes a List of jobs", "name batch");
        assertInvalid(TooLarge.class, "batch 10001 must lie between 2 and 10000");
        assertInvalid(TooLong.class, "linger 1m must lie between 0 and 10 s");
        assertInvalid(NoNumber.class, "batch 'many' is not a number");
        assertInvalid(OneContext.class, "many jobs and one JobContext", "ChunkJob");
        assertInvalid(ResultWithoutIds.class, "ChunkResult", "ChunkJob");
        assertInvalid(KeepsResult.class, "keepResult", "ChunkResult");
        assertInvalid(AnyCollection.class, "java.util.Collection");
        assertInvalid(Wildcard.class, "its payload is");
        assertInvalid(RawList.class, "its payload is");
        assertInvalid(PlainValues.class, "java.lang.String", "a class of your own");
    }
}
