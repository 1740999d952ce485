package dev.rowlock.queue.benchmark.peer.jvm;

import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Target;
import java.util.EnumSet;
import java.util.Set;

/** Quartz with its JDBC store, acquiring triggers in batches. */
public record QuartzPeer() implements Peer {

    @Override
    public String name() {
        return "quartz";
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.of(Ability.SINGLE, Ability.DELAY, Ability.LISTENS);
    }

    @Override
    public int jobsPerSecond() {
        return 500;
    }

    @Override
    public Session open(Target target) {
        return new QuartzSession(target);
    }
}
