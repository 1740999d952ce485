package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.store.MeasureDepth;
import dev.rowlock.queue.internal.store.TakeChore;
import java.time.Duration;

/** Counts the rooms, once for all nodes. Takes at most a twentieth of one connection's time. */
final class DepthMeasurement implements Chore {

    private static final Duration INTERVAL = Duration.ofSeconds(15);
    private static final int REST_PER_WORK = 20;

    private final TakeChore chore;
    private final MeasureDepth measure;
    private Duration rest = INTERVAL;

    DepthMeasurement(TakeChore chore, MeasureDepth measure) {
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
            measure.run();
            rest = Rest.after(begun, REST_PER_WORK, INTERVAL);
        }
        return rest;
    }
}
