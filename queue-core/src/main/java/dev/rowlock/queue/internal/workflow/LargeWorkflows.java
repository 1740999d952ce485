package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.chore.Chore;
import java.time.Duration;

/**
 * Works on large workflows: moves jobs of large steps, skips one step after the other, cancels large workflows. A part of it in each round, in turns with the other chores, so that all other workflows go on meanwhile.
 */
final class LargeWorkflows implements Chore {

    /** Nothing is found by looking: it is told. */
    private static final Duration REST = Duration.ofMinutes(1);

    private final Progress progress;
    private final Cancels cancels;
    private final Sweep sweep;

    LargeWorkflows(Progress progress, Cancels cancels, Sweep sweep) {
        this.progress = progress;
        this.cancels = cancels;
        this.sweep = sweep;
    }

    @Override
    public String name() {
        return "large workflows";
    }

    @Override
    public void triggeredBy(Runnable trigger) {
        progress.triggers(trigger);
        cancels.triggers(trigger);
    }

    @Override
    public Duration runOnce() {
        try {
            boolean more = progress.round();
            more |= cancels.round();
            return more ? Duration.ZERO : REST;
        } catch (RuntimeException e) {
            sweep.soon(); // that part has been taken, so nobody else looks for it
            throw e;
        }
    }
}
