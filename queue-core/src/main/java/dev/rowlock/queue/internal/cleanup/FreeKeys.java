package dev.rowlock.queue.internal.cleanup;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.ProportionalRest;
import dev.rowlock.queue.internal.store.cleanup.Leftovers;
import dev.rowlock.queue.internal.store.cleanup.Leftovers.Keys;
import dev.rowlock.queue.internal.store.cleanup.Leftovers.Position;
import dev.rowlock.queue.internal.store.node.TakeChore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Removes unique keys that no job holds any more: the end of a job does not remove its key. Nothing depends
 * on it but the size of the table.
 *
 * <p>One node begins a round and walks through all keys, one stretch at a time, so that the chores beside it need not
 * wait. If a round takes longer than the interval another node begins one too, which does no harm.
 */
public final class FreeKeys implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(5);
    private static final int STRETCH = 1_000;

    /** A round takes at most a twentieth of one connection's time. */
    private static final int REST_PER_WORK = 20;

    private final TakeChore chore;
    private final Leftovers remove;
    private @Nullable Position behind; // null: between two rounds

    public FreeKeys(TakeChore chore, Leftovers remove) {
        this.chore = chore;
        this.remove = remove;
    }

    @Override
    public String name() {
        return "free unique keys";
    }

    @Override
    public Duration runOnce() {
        if (behind == null) {
            if (!chore.run(name(), INTERVAL)) {
                return INTERVAL;
            }
            behind = Leftovers.FIRST_KEY;
        }
        long begun = System.nanoTime();
        Keys stretch = remove.freeKeys(behind, STRETCH);
        behind = stretch.end();
        return behind == null ? INTERVAL : ProportionalRest.after(begun, REST_PER_WORK, Duration.ZERO);
    }
}
