package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.chore.Chore;
import java.time.Duration;
import java.util.List;

/** Continues workflows at once whose jobs have ended on this node. */
final class Resolver implements Chore {

    private static final int BATCH = 1_000;

    /** Nothing is found by looking: it is told. */
    private static final Duration REST = Duration.ofMinutes(1);

    private final WorkflowEnds ended;
    private final Progress progress;
    private final Sweep sweep;

    Resolver(WorkflowEnds ended, Progress progress, Sweep sweep) {
        this.ended = ended;
        this.progress = progress;
        this.sweep = sweep;
    }

    @Override
    public String name() {
        return "workflows";
    }

    @Override
    public void triggeredBy(Runnable trigger) {
        ended.triggers(trigger);
    }

    @Override
    public Duration runOnce() {
        if (ended.takeMissed()) {
            sweep.soon();
        }
        List<Long> some = ended.take(BATCH);
        if (some.isEmpty()) {
            return REST;
        }
        try {
            progress.ended(some);
        } catch (RuntimeException e) {
            sweep.soon(); // they have been taken, so nobody else names them
            throw e;
        }
        return some.size() == BATCH ? Duration.ZERO : REST;
    }
}
