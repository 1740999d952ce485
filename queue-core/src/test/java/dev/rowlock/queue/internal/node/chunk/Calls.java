package dev.rowlock.queue.internal.node.chunk;

import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.internal.node.NodeTest.Greet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/** The calls of a listener of chunks, each as the names of its jobs, sorted. */
final class Calls {

    private final Queue<List<String>> calls = new ConcurrentLinkedQueue<>();

    List<String> note(List<ChunkJob<Object>> jobs) {
        List<String> names = jobs.stream().map(Calls::name).sorted().toList();
        calls.add(names);
        return names;
    }

    List<List<String>> all() {
        return List.copyOf(calls);
    }

    List<Integer> sizes() {
        return calls.stream().map(List::size).toList();
    }

    static String name(ChunkJob<Object> job) {
        return ((Greet) job.payload()).name();
    }

    /** So many people, whose names are in order. */
    static List<Greet> people(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> new Greet("p%03d".formatted(number)))
                .toList();
    }
}
