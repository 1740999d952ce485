package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.store.RemoveReached;
import dev.rowlock.queue.internal.store.TakeChore;
import java.time.Duration;

/** Removes the places that claims have reached and left behind, once for all nodes: one for each claim of many jobs. */
final class ReachedPlaces implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final TakeChore chore;
    private final RemoveReached remove;

    ReachedPlaces(TakeChore chore, RemoveReached remove) {
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
            remove.olderThan(INTERVAL);
        }
        return INTERVAL;
    }
}
