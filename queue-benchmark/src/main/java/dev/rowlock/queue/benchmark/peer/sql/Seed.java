package dev.rowlock.queue.benchmark.peer.sql;

import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Target;
import java.util.EnumSet;
import java.util.Set;

/**
 * What articles on the subject begin with: one table, and one statement for each job, {@code UPDATE … WHERE id = (SELECT
 * … FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING}, then another that says it is done.
 */
public record Seed(String name, boolean skipsLocked) implements Peer {

    public static final Seed SKIP = new Seed("seed", true);

    /** Workers queue up behind the first job's lock. */
    public static final Seed NO_SKIP = new Seed("seed-no-skip", false);

    @Override
    public Set<Ability> abilities() {
        return EnumSet.of(Ability.SINGLE, Ability.BULK, Ability.RETENTION, Ability.LISTENS, Ability.WORKERS);
    }

    @Override
    public int jobsPerSecond() {
        return skipsLocked ? 3_000 : 800;
    }

    @Override
    public Session open(Target target) {
        return new SeedSession(target, skipsLocked);
    }
}
