package dev.rowlock.queue.internal.cleanup;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.ProportionalRest;
import dev.rowlock.queue.internal.store.cleanup.Leftovers;
import dev.rowlock.queue.internal.store.cleanup.Leftovers.Stretch;
import dev.rowlock.queue.internal.store.node.TakeChore;
import java.time.Duration;

/**
 * Removes checkpoints of jobs that have ended for good. Nothing depends on it but the size of the table.
 *
 * <p>One node begins a round and walks through the table, one stretch at a time, so that the chores beside it need not wait.
 */
public final class EndedCheckpoints implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(5);
    private static final int STRETCH = 500;

    /** A round takes at most a twentieth of one connection's time. */
    private static final int REST_PER_WORK = 20;

    private final TakeChore chore;
    private final Leftovers remove;
    private boolean walking;
    private long behind;

    public EndedCheckpoints(TakeChore chore, Leftovers remove) {
        this.chore = chore;
        this.remove = remove;
    }

    @Override
    public String name() {
        return "ended checkpoints";
    }

    @Override
    public Duration runOnce() {
        if (!walking) {
            if (!chore.run(name(), INTERVAL)) {
                return INTERVAL;
            }
            behind = Leftovers.FIRST_ID;
            walking = true;
        }
        long begun = System.nanoTime();
        Stretch stretch = remove.checkpoints(behind, STRETCH);
        walking = stretch.end() != null;
        if (stretch.end() == null) {
            return INTERVAL;
        }
        behind = stretch.end();
        return ProportionalRest.after(begun, REST_PER_WORK, Duration.ZERO);
    }
}
