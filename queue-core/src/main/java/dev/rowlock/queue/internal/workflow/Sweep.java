package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.chore.ProportionalRest;
import dev.rowlock.queue.internal.store.workflow.CancelWorkflows;
import dev.rowlock.queue.internal.store.workflow.CancelWorkflows.Cancelled;
import dev.rowlock.queue.internal.store.workflow.MarkEndedJobs.Marked;
import dev.rowlock.queue.internal.store.workflow.MarkEndedJobs.Place;
import dev.rowlock.queue.internal.store.workflow.StepKey;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds what nobody has heard of: jobs that were cancelled, discarded or redriven by hand, ended as their node died, or whose end its node could not
 * pass on; steps that nobody has decided about; and workflows that are to be cancelled. A stretch at a time.
 *
 * <p>One node does it for all, the others only now and then: they may be the only ones who can.
 */
final class Sweep implements Chore {

    private static final int STRETCH = 1_000;
    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final Duration INTERVAL_OF_OTHERS = Duration.ofMinutes(1);

    /** While jobs of a workflow that is to be cancelled run on. */
    private static final Duration WHILE_CANCELLING = Duration.ofSeconds(1);

    /** It takes no more than this share of the time, whatever there is to look at. */
    private static final int REST_PER_WORK = 20;

    private static final StepKey FIRST = new StepKey(0, -1);

    private final Progress progress;
    private final CancelWorkflows cancel;
    private final Wakeups wakeups;
    private final OwnNode node;
    private Runnable trigger = () -> {}; // written before the first run
    private @Nullable Place jobs; // null: done with them
    private @Nullable StepKey steps;
    private boolean walking;
    private long begunAt; // monotonic
    private boolean cancelling;

    Sweep(Progress progress, CancelWorkflows cancel, Wakeups wakeups, OwnNode node) {
        this.progress = progress;
        this.cancel = cancel;
        this.wakeups = wakeups;
        this.node = node;
    }

    @Override
    public String name() {
        return "workflow sweep";
    }

    @Override
    public boolean dueAfterChange() {
        return true;
    }

    @Override
    public void triggeredBy(Runnable run) {
        trigger = run;
    }

    /** There is something to find. */
    void soon() {
        trigger.run();
    }

    @Override
    public Duration runOnce() {
        if (!walking) {
            walking = true;
            begunAt = System.nanoTime();
            jobs = Place.FRONT;
            steps = FIRST;
            cancelling = cancelAll();
        }
        try {
            if (walk()) {
                return Duration.ZERO;
            }
        } catch (RuntimeException e) {
            walking = false; // from the front again
            throw e;
        }
        walking = false;
        Duration interval = cancelling
                ? WHILE_CANCELLING
                : node.place().number() == 0 || !node.hearing() ? INTERVAL : INTERVAL_OF_OTHERS;
        return ProportionalRest.after(begunAt, REST_PER_WORK, interval);
    }

    /** Returns whether there is more. */
    private boolean walk() {
        Place place = jobs;
        if (place != null) {
            Marked marked = progress.ended(place, STRETCH);
            jobs = marked.end();
            return true;
        }
        StepKey step = steps;
        if (step != null) {
            List<StepKey> looked = progress.waiting(step, STRETCH);
            steps = looked.size() == STRETCH ? looked.get(STRETCH - 1) : null;
            return true;
        }
        return progress.left();
    }

    /** Returns whether some are to be cancelled. */
    private boolean cancelAll() {
        boolean any = false;
        Long workflow = cancel.next(0);
        while (workflow != null) {
            any = true;
            cancel(workflow);
            workflow = cancel.next(workflow);
        }
        return any;
    }

    private void cancel(long workflow) {
        int step = -1;
        long job = Long.MIN_VALUE;
        boolean asked = false;
        Cancelled some;
        do {
            some = cancel.jobs(workflow, step, job, STRETCH);
            step = some.step();
            job = some.job();
            asked |= some.asked() > 0;
        } while (some.jobs() == STRETCH);
        if (asked) {
            wakeups.attention(); // nodes hear with their next heartbeat which of their jobs are to stop
        }
        progress.cancelled(workflow);
    }
}
