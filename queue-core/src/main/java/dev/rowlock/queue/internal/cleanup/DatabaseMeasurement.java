package dev.rowlock.queue.internal.cleanup;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.cleanup.Measurements;
import dev.rowlock.queue.internal.store.node.TakeChore;
import java.time.Duration;

/** Measures the database, workflows and policies, once for all nodes. */
public final class DatabaseMeasurement implements Chore {

    private static final Duration INTERVAL = Duration.ofSeconds(30);

    private final TakeChore chore;
    private final Measurements measure;

    public DatabaseMeasurement(TakeChore chore, Measurements measure) {
        this.chore = chore;
        this.measure = measure;
    }

    @Override
    public String name() {
        return "figures";
    }

    @Override
    public Duration runOnce() {
        if (chore.run(name(), INTERVAL)) {
            chore.orGiveBack(name(), this::measure);
        }
        return INTERVAL;
    }

    private void measure() {
        measure.features();
        measure.database();
    }
}
