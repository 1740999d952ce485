package dev.rowlock.queue.internal.cleanup;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.claim.RemoveReached;
import dev.rowlock.queue.internal.store.node.TakeChore;
import java.time.Duration;

/** Removes old positions of claims from table reached, once for all nodes: each claim of many jobs leaves one. */
public final class ReachedPlaces implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final TakeChore chore;
    private final RemoveReached remove;

    public ReachedPlaces(TakeChore chore, RemoveReached remove) {
        this.chore = chore;
        this.remove = remove;
    }

    @Override
    public String name() {
        return "reached places";
    }

    @Override
    public Duration runOnce() {
        if (chore.run(name(), INTERVAL)) {
            chore.orGiveBack(name(), () -> remove.olderThan(INTERVAL));
        }
        return INTERVAL;
    }
}
