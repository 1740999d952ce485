package dev.rowlock.queue.benchmark.peer.sql;

import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Target;
import java.util.EnumSet;
import java.util.Set;

/**
 * The bare SQL of Rowlock's design in a loop, on tables with the fewest columns that it can do with: no framework, no
 * retries, no leases, no wake-ups. What Rowlock is measured against.
 */
public record Floor(String name, boolean keepsDone) implements Peer {

    public static final Floor NO_RETENTION = new Floor("floor", false);
    public static final Floor RETENTION = new Floor("floor-retention", true);

    @Override
    public Set<Ability> abilities() {
        Set<Ability> abilities = EnumSet.of(Ability.SINGLE, Ability.BULK, Ability.PRIORITY, Ability.LISTENS);
        if (keepsDone) {
            abilities.add(Ability.RETENTION);
        }
        return abilities;
    }

    @Override
    public int jobsPerSecond() {
        return 80_000;
    }

    @Override
    public Session open(Target target) {
        return new FloorSession(target, keepsDone);
    }
}
