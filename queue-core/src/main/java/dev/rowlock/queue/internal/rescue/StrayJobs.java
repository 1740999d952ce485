package dev.rowlock.queue.internal.rescue;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.ProportionalRest;
import dev.rowlock.queue.internal.store.node.TakeChore;
import java.time.Duration;

/**
 * Takes back what a rescue has missed: jobs that a node claimed in the very moment in which it was declared dead, and those
 * of a rescuer that died itself. Once for all nodes: where each of many nodes read all of running, that was a quarter of the
 * server's work.
 */
public final class StrayJobs implements Chore {

    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final int REST_PER_WORK = 50;

    private final TakeChore chore;
    private final TakeBack takeBack;
    private Duration rest = INTERVAL;

    public StrayJobs(TakeChore chore, TakeBack takeBack) {
        this.chore = chore;
        this.takeBack = takeBack;
    }

    @Override
    public String name() {
        return "stray jobs";
    }

    @Override
    public Duration runOnce() {
        if (chore.run(name(), rest)) {
            long begun = System.nanoTime();
            chore.orGiveBack(name(), takeBack::run);
            rest = ProportionalRest.after(begun, REST_PER_WORK, INTERVAL);
        }
        return rest;
    }
}
