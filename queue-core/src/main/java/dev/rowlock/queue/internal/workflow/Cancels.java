package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.workflow.CancelWorkflows.Cancelled;
import dev.rowlock.queue.spi.Wakeups;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cancels the jobs of cancelled workflows, in rounds, some in each. One thread. */
final class Cancels {

    private static final Logger log = LoggerFactory.getLogger(Cancels.class);

    private static final int JOBS = 1_000;
    private static final int WORKFLOWS = 1_000;

    /** How far a workflow has come; {@code asked}: whether running jobs were asked to stop. */
    private record Cancelling(int step, long job, boolean asked) {

        static final Cancelling FRONT = new Cancelling(-1, Long.MIN_VALUE, false);
    }

    private final CancelWorkflows cancel;
    private final Progress progress;
    private final Wakeups wakeups;
    private final Map<Long, Cancelling> places = new LinkedHashMap<>();
    private Runnable trigger = () -> {};

    Cancels(CancelWorkflows cancel, Progress progress, Wakeups wakeups) {
        this.cancel = cancel;
        this.progress = progress;
        this.wakeups = wakeups;
    }

    /** Called when a round is to follow. */
    void triggers(Runnable run) {
        trigger = run;
    }

    /** Looks which workflows are to be cancelled. Returns whether there are any. */
    boolean find() {
        List<Long> some = cancel.next(0, WORKFLOWS);
        boolean any = !some.isEmpty();
        while (!some.isEmpty()) {
            some.forEach(workflow -> places.putIfAbsent(workflow, Cancelling.FRONT));
            some = cancel.next(some.get(some.size() - 1), WORKFLOWS);
        }
        if (any) {
            trigger.run();
        }
        return any;
    }

    /** Cancels some jobs of a workflow, each time of another one. Returns whether there is more to do. */
    boolean round() {
        Iterator<Map.Entry<Long, Cancelling>> first = places.entrySet().iterator();
        if (!first.hasNext()) {
            return false;
        }
        Map.Entry<Long, Cancelling> next = first.next();
        first.remove();
        try {
            some(next.getKey(), next.getValue());
        } catch (RuntimeException e) {
            // Because somebody keeps a part of it locked, say: it must not keep the others.
            log.debug("cancelling workflow {} failed; will retry soon", next.getKey(), e);
        }
        return !places.isEmpty();
    }

    private void some(long workflow, Cancelling place) {
        Cancelled some = cancel.jobs(workflow, place.step(), place.job(), JOBS);
        boolean asked = place.asked() || some.asked() > 0;
        if (some.jobs() == JOBS) {
            places.put(workflow, new Cancelling(some.step(), some.job(), asked));
            return;
        }
        if (asked) {
            wakeups.attention(); // nodes hear with their next heartbeat which of their jobs are to stop
        }
        progress.cancelled(workflow);
    }
}
