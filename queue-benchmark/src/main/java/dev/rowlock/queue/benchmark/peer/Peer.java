package dev.rowlock.queue.benchmark.peer;

import java.util.Optional;
import java.util.Set;

/** A job queue that can be measured. */
public interface Peer {

    /** As it is called on the command line. */
    String name();

    Set<Ability> abilities();

    /** About how many jobs it drains in a second: runs are sized by it, so that slow peers do not take hours. */
    int jobsPerSecond();

    /** The same for jobs with keys under a rule. */
    default int jobsPerSecond(KeyRule rule) {
        return jobsPerSecond();
    }

    /** Why it cannot run here; empty if it can. */
    default Optional<String> missing() {
        return Optional.empty();
    }

    /** Makes its tables if they are not there yet. */
    Session open(Target target);
}
