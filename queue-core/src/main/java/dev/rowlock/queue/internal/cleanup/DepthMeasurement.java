package dev.rowlock.queue.internal.cleanup;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.ProportionalRest;
import dev.rowlock.queue.internal.store.cleanup.Measurements;
import dev.rowlock.queue.internal.store.node.TakeChore;
import java.time.Duration;

/** Counts the rooms, once for all nodes. Takes at most a twentieth of one connection's time, unless it takes more than three seconds. */
public final class DepthMeasurement implements Chore {

    private static final Duration INTERVAL = Duration.ofSeconds(15);
    private static final int REST_PER_WORK = 20;

    private final TakeChore chore;
    private final Measurements measure;
    private Duration rest = INTERVAL;

    public DepthMeasurement(TakeChore chore, Measurements measure) {
        this.chore = chore;
        this.measure = measure;
    }

    @Override
    public String name() {
        return "depth";
    }

    @Override
    public Duration runOnce() {
        if (chore.run(name(), rest)) {
            long begun = System.nanoTime();
            chore.orGiveBack(name(), measure::depth);
            rest = ProportionalRest.after(begun, REST_PER_WORK, INTERVAL);
        }
        return rest;
    }
}
