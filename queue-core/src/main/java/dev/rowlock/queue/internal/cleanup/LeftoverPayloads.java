package dev.rowlock.queue.internal.cleanup;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.ProportionalRest;
import dev.rowlock.queue.internal.store.cleanup.Leftovers;
import dev.rowlock.queue.internal.store.cleanup.Leftovers.Stretch;
import dev.rowlock.queue.internal.store.node.TakeChore;
import java.time.Duration;

/**
 * Removes large payloads whose jobs are gone: completion, retention and discard leave them behind. Nothing depends on it but the size of the table.
 *
 * <p>One node at a time walks through the table, a stretch at a time, so that the chores beside it need not wait. It
 * keeps the chore for the whole round, which takes long where many done jobs are kept. After a round that found
 * something the next comes soon; after one that found nothing only later, since it will hardly find more before retention drops another day.
 */
public final class LeftoverPayloads implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final Duration IDLE_INTERVAL = Duration.ofMinutes(10);

    /** Few, since each of them may be large. */
    private static final int STRETCH = 200;

    /** A round takes at most a twentieth of one connection's time. */
    private static final int REST_PER_WORK = 20;

    private final TakeChore chore;
    private final Leftovers remove;
    private boolean walking;
    private long behind;
    private long removed; // in this round

    public LeftoverPayloads(TakeChore chore, Leftovers remove) {
        this.chore = chore;
        this.remove = remove;
    }

    @Override
    public String name() {
        return "leftover payloads";
    }

    @Override
    public Duration runOnce() {
        if (!walking) {
            if (!chore.run(name(), INTERVAL)) {
                return INTERVAL;
            }
            begin();
        }
        long begun = System.nanoTime();
        Stretch stretch = remove.payloads(behind, STRETCH);
        removed += stretch.removed();
        if (stretch.end() == null) {
            return end();
        }
        behind = stretch.end();
        Duration rest = ProportionalRest.after(begun, REST_PER_WORK, Duration.ZERO);
        chore.keep(name(), rest.plus(INTERVAL));
        return rest;
    }

    private void begin() {
        walking = true;
        behind = Leftovers.FIRST_ID;
        removed = 0;
    }

    /** Returns when the next round is to begin, on whatever node. */
    private Duration end() {
        walking = false;
        Duration next = removed > 0 ? INTERVAL : IDLE_INTERVAL;
        chore.keep(name(), next);
        return next;
    }
}
