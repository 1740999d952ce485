package dev.rowlock.queue.internal.cleanup;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.ProportionalRest;
import dev.rowlock.queue.internal.store.cleanup.IndexDonePartitions;
import dev.rowlock.queue.internal.store.node.TakeChore;
import java.time.Duration;

/** Creates the index by queue on partitions of done whose day is over, on one node, a day at a time. Only searches use it. */
public final class DoneByQueue implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(10);

    /** A schema that was upgraded has many days without one. */
    private static final int REST_PER_WORK = 20;

    private final TakeChore chore;
    private final IndexDonePartitions index;

    public DoneByQueue(TakeChore chore, IndexDonePartitions index) {
        this.chore = chore;
        this.index = index;
    }

    @Override
    public String name() {
        return "index of done";
    }

    @Override
    public Duration runOnce() {
        if (!chore.run(name(), INTERVAL)) {
            return INTERVAL;
        }
        long begun = System.nanoTime();
        if (chore.resultOrGiveBack(name(), index::run) == null) {
            return INTERVAL;
        }
        Duration rest = ProportionalRest.after(begun, REST_PER_WORK, Duration.ZERO);
        chore.keep(name(), rest);
        return rest;
    }
}
