package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.ProportionalRest;
import dev.rowlock.queue.internal.chore.TakeChore;
import java.time.Duration;

/**
 * Rescues jobs of dead nodes that the first rescue has missed: jobs that a node claimed just when it was declared dead, and those of a rescuer that died itself. Once for all nodes: where each of many nodes read all of running, that was a quarter of the
 * server's work.
 */
public final class OrphanedJobs implements Chore {

    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final int REST_PER_WORK = 50;

    private final TakeChore chore;
    private final OrphanRescue orphanRescue;
    private Duration rest = INTERVAL;

    public OrphanedJobs(TakeChore chore, OrphanRescue orphanRescue) {
        this.chore = chore;
        this.orphanRescue = orphanRescue;
    }

    @Override
    public String name() {
        return "stray jobs";
    }

    @Override
    public Duration runOnce() {
        if (chore.run(name(), rest)) {
            long begun = System.nanoTime();
            chore.orGiveBack(name(), orphanRescue::run);
            rest = ProportionalRest.after(begun, REST_PER_WORK, INTERVAL);
        }
        return rest;
    }
}
