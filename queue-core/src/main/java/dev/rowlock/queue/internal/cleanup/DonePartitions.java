package dev.rowlock.queue.internal.cleanup;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import java.time.Duration;

/**
 * Creates the partitions of done for the days to come. Each node does: where they exist it costs next to nothing, and if a node dies over it, the others do it.
 */
public final class DonePartitions implements Chore {

    private static final Duration INTERVAL = Duration.ofMinutes(10);
    private static final int DAYS_AHEAD = 7;

    private final EnsureDonePartitions ensure;

    public DonePartitions(EnsureDonePartitions ensure) {
        this.ensure = ensure;
    }

    @Override
    public String name() {
        return "partitions of done";
    }

    @Override
    public Duration runOnce() {
        ensure.run(DAYS_AHEAD);
        return INTERVAL;
    }
}
