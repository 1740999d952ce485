package dev.rowlock.queue.benchmark.workload;

import dev.rowlock.queue.benchmark.measure.Figures;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.stage.Stage;
import java.util.List;
import java.util.Set;

/** Something to measure. */
public interface Workload {

    /** As it is called on the command line. */
    String name();

    /** What it asks of a peer. */
    Set<Ability> needs();

    /** Whom it measures unless told otherwise. */
    default List<String> peers() {
        return List.of("rowlock", "rowlock-no-retention", "floor", "floor-retention");
    }

    /** Those of which some can be chosen with {@code --parts}. */
    default List<String> parts() {
        return List.of();
    }

    /** Measures a peer once, on a database of its own. */
    Figures run(Peer peer, Stage stage);

    /** Lets the compiler see the peer's code at work before it is measured. */
    default void warmUp(Peer peer, Stage stage) {
        new Drain().run(peer, new Stage(stage.server(), stage.size().withJobs(peer.jobsPerSecond())));
    }
}
