package dev.rowlock.queue.benchmark.workload;

import java.util.List;

/** All workloads. */
public final class Workloads {

    private static final List<Workload> ALL = List.of(
            new Drain(),
            new Enqueue(),
            Latency.warm(),
            Latency.cold(),
            new Sustained(),
            new Mixed(),
            new Held(),
            new Backlog(),
            new Scheduled(),
            new Recurring(),
            new Effects(),
            new Gates(),
            new Fairness(),
            new Idle(),
            new Workers(),
            new Nodes(),
            new Payload(),
            new Memory());

    private Workloads() {}

    public static List<Workload> all() {
        return ALL;
    }

    /** The workload of this name, or an {@link IllegalArgumentException} that names all of them. */
    public static Workload named(String name) {
        return ALL.stream()
                .filter(workload -> workload.name().equals(name))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("workload '%s' is none of %s"
                        .formatted(name, ALL.stream().map(Workload::name).toList())));
    }
}
