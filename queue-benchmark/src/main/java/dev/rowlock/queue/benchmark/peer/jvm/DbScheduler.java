package dev.rowlock.queue.benchmark.peer.jvm;

import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Target;
import java.util.EnumSet;
import java.util.Set;

/** db-scheduler, tuned for throughput as its documentation says: lock-and-fetch, many executions per fetch. */
public record DbScheduler() implements Peer {

    @Override
    public String name() {
        return "db-scheduler";
    }

    /** Priorities are possible, at the price of another index. */
    @Override
    public Set<Ability> abilities() {
        return EnumSet.of(
                Ability.SINGLE,
                Ability.BULK,
                Ability.DELAY,
                Ability.LISTENS,
                Ability.WORKERS,
                Ability.EFFECTS,
                Ability.NODES,
                Ability.PAIR);
    }

    @Override
    public int jobsPerSecond() {
        return 10_000;
    }

    @Override
    public Session open(Target target) {
        return new DbSchedulerSession(target);
    }
}
