package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.janitor.Leftovers.Stretch;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A walk through a table that removes what no job needs any more. Nothing depends on it but the size of the table.
 *
 * <p>One node at a time walks, a stretch at a time, so that the chores beside it need not wait. It keeps the chore for the whole round. After a round that found nothing
 * the next may come later.
 *
 * @param <P> a place in the table
 */
final class TableWalk<P> implements Chore {

    /** A round takes at most a twentieth of one connection's time. */
    private static final int REST_PER_WORK = 20;

    private final TakeChore chore;
    private final String name;
    private final Duration interval;
    private final Duration idleInterval;
    private final P first;
    private final Function<P, Stretch<P>> remove;
    private @Nullable P behind; // null: between two rounds
    private long removed; // in this round

    TableWalk(
            TakeChore chore,
            String name,
            Duration interval,
            Duration idleInterval,
            P first,
            Function<P, Stretch<P>> remove) {
        this.chore = chore;
        this.name = name;
        this.interval = interval;
        this.idleInterval = idleInterval;
        this.first = first;
        this.remove = remove;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Duration runOnce() {
        if (behind == null) {
            if (!chore.run(name, interval)) {
                return interval;
            }
            behind = first;
            removed = 0;
        }
        long begun = System.nanoTime();
        Stretch<P> stretch = remove.apply(behind);
        removed += stretch.removed();
        behind = stretch.end();
        if (behind == null) {
            Duration next = removed > 0 ? interval : idleInterval;
            chore.keep(name, next);
            return next;
        }
        Duration rest = Chore.restAfter(begun, REST_PER_WORK, Duration.ZERO);
        chore.keep(name, rest.plus(interval));
        return rest;
    }
}
