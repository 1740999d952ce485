package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.spi.ChunkInterceptor;
import dev.rowlock.queue.spi.Chunking;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Chunk settings of a queue.
 *
 * @param idle how many jobs to claim for a thread that has none
 * @param chunks made for the queue's threads
 */
public record ChunkPlan(int idle, Function<Workplace, Chunks> chunks) {

    /** More jobs in the hands of one queue of one node are a slip of units. */
    private static final long MOST_JOBS = 1_000_000;

    /**
     * Of a queue with these listeners.
     *
     * @throws IllegalArgumentException if its threads would hold too many jobs
     */
    public static ChunkPlan of(
            String queue, int concurrency, List<ListenerDefinition> listeners, ChunkServices services) {
        List<ListenerDefinition> chunked =
                listeners.stream().filter(ChunkPlan::runsChunks).toList();
        int largest = chunkings(chunked).mapToInt(Chunking::batch).max().orElse(1);
        if ((long) concurrency * largest > MOST_JOBS) {
            throw new IllegalArgumentException(
                    "queue '%s': %d threads with %d jobs each would hold more than %d jobs at once: lower its concurrency, or the batch of %s"
                            .formatted(
                                    queue,
                                    concurrency,
                                    largest,
                                    MOST_JOBS,
                                    chunked.get(0).name()));
        }
        // A thread of a queue that has plain listeners too may get a plain job: until it knows, one is claimed for it.
        int idle = chunked.size() == listeners.size() ? largest : 1;
        return new ChunkPlan(idle, place -> new Chunks(chunked, place, services));
    }

    /** How long a job waits for company at the longest, on this node. */
    public static Duration longestLinger(List<ListenerDefinition> listeners) {
        return chunkings(listeners)
                .map(Chunking::linger)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /**
     * Fails if an interceptor says nothing about chunks where there are some.
     *
     * @throws InvalidJobListenerException names the two
     */
    public static void requireInterceptors(List<ListenerDefinition> listeners, List<JobInterceptor> interceptors) {
        for (JobInterceptor interceptor : interceptors) {
            listeners.stream()
                    .filter(listener -> runsChunks(listener) && !(interceptor instanceof ChunkInterceptor))
                    .findFirst()
                    .ifPresent(listener -> {
                        throw new InvalidJobListenerException(
                                "%s runs chunks, and the interceptor %s is for single jobs: it would not be called, or with one job of many"
                                        .formatted(
                                                listener.name(),
                                                interceptor.getClass().getName()),
                                "Let the interceptor implement ChunkInterceptor as well, or remove batch from the listener");
                    });
        }
    }

    private static boolean runsChunks(ListenerDefinition listener) {
        return listener.chunking() != null;
    }

    private static Stream<Chunking> chunkings(List<ListenerDefinition> listeners) {
        return listeners.stream().map(ListenerDefinition::chunking).filter(Objects::nonNull);
    }
}
