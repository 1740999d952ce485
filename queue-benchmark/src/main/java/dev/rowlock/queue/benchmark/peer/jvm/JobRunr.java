package dev.rowlock.queue.benchmark.peer.jvm;

import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Target;
import java.util.EnumSet;
import java.util.Set;

/** JobRunr's free edition. */
public record JobRunr() implements Peer {

    @Override
    public String name() {
        return "jobrunr";
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.of(
                Ability.SINGLE, Ability.BULK, Ability.DELAY, Ability.RETENTION, Ability.LISTENS, Ability.WORKERS);
    }

    @Override
    public int jobsPerSecond() {
        return 3_000;
    }

    @Override
    public Session open(Target target) {
        return new JobRunrSession(target);
    }
}
