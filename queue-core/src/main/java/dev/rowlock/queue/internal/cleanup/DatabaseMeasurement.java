package dev.rowlock.queue.internal.cleanup;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.cleanup.MeasureDatabase;
import dev.rowlock.queue.internal.store.cleanup.MeasureFeatures;
import dev.rowlock.queue.internal.store.node.TakeChore;
import java.time.Duration;

/** Measures the database, workflows and policies, once for all nodes. */
public final class DatabaseMeasurement implements Chore {

    private static final Duration INTERVAL = Duration.ofSeconds(30);

    private final TakeChore chore;
    private final MeasureDatabase measure;
    private final MeasureFeatures features;

    public DatabaseMeasurement(TakeChore chore, MeasureDatabase measure, MeasureFeatures features) {
        this.chore = chore;
        this.measure = measure;
        this.features = features;
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
        features.run();
        measure.run();
    }
}
