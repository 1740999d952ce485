package dev.rowlock.queue.chaos.fault;

import dev.rowlock.queue.chaos.cluster.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Something that happens to nodes, networks and databases. */
public sealed interface Fault permits NodeFault, ServerFault, NetworkFault, ClockFault, TableFault, AccessFault {

    String name();

    /** Does it to this worker, or to the database. Returns when it is over. */
    void strike(Arena arena, Worker worker, Random random);

    /** Whom it strikes, such as {@code w1}; empty: more than this worker. */
    default String place(Worker worker) {
        return "";
    }

    /** Whether somebody who was struck may be declared dead by right. */
    default boolean silences() {
        return true;
    }

    /** How long after its end it may still be felt. */
    default Duration settles() {
        return Duration.ofSeconds(10);
    }

    static List<Fault> all() {
        return Stream.<Fault[]>of(
                        NodeFault.values(),
                        ServerFault.values(),
                        NetworkFault.values(),
                        ClockFault.values(),
                        TableFault.values(),
                        AccessFault.values())
                .flatMap(Stream::of)
                .toList();
    }
}
