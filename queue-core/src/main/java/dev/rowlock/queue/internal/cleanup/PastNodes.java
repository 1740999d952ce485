package dev.rowlock.queue.internal.cleanup;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.cleanup.Leftovers;
import dev.rowlock.queue.internal.store.node.TakeChore;
import java.time.Duration;

/** Removes the names of nodes that no ended job needs any more, once a day for all nodes. */
public final class PastNodes implements Chore {

    private static final Duration INTERVAL = Duration.ofDays(1);

    /** The rest follows the next day: it is small. */
    private static final int LIMIT = 10_000;

    private final TakeChore chore;
    private final Leftovers remove;

    public PastNodes(TakeChore chore, Leftovers remove) {
        this.chore = chore;
        this.remove = remove;
    }

    @Override
    public String name() {
        return "past nodes";
    }

    @Override
    public Duration runOnce() {
        if (chore.run(name(), INTERVAL)) {
            chore.orGiveBack(name(), () -> remove.pastNodes(LIMIT));
        }
        return INTERVAL;
    }
}
