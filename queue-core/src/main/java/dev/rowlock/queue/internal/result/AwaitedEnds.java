package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.record.RecordedOutcomes;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.internal.wake.WakeupBus.EndSubscriber;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Passes ends of jobs to waits: from this process's node to waits here and in other processes, and from other processes to waits
 * here. Only looks into memory; the notifier sends, many ids at a time.
 */
final class AwaitedEnds implements RecordedOutcomes, EndSubscriber {

    private final Waits waits;
    private final WakeupBus wakeups;
    private final EndListener own;
    final AwaitedElsewhere elsewhere = new AwaitedElsewhere();

    AwaitedEnds(Waits waits, WakeupBus wakeups, EndListener own) {
        this.waits = waits;
        this.wakeups = wakeups;
        this.own = own;
    }

    @Override
    public void recorded(ClaimedJob job, Outcome outcome) {
        if (outcome instanceof Outcome.Deferred || outcome instanceof Outcome.Released) {
            return;
        }
        ended(job.id());
    }

    @Override
    public void ended(long id) {
        waits.ended(id);
        if (elsewhere.remove(id)) {
            wakeups.jobEnded(id);
        }
    }

    @Override
    public void awaitedElsewhere(long[] ids) {
        elsewhere.add(ids);
    }

    @Override
    public void endedElsewhere(long[] ids) {
        for (long id : ids) {
            waits.ended(id);
        }
    }

    @Override
    public void nodeHears() {
        own.nodeHears();
    }

    /** Jobs that other processes have announced to wait for. Bounded: the oldest are forgotten, and announced again. Thread-safe. */
    static final class AwaitedElsewhere {

        static final int ROOM = 20_000;

        private final Set<Long> ids = new LinkedHashSet<>(); // guarded by this
        private volatile boolean any; // written under the monitor

        synchronized void add(long[] more) {
            for (long id : more) {
                ids.remove(id); // what is announced again is young
                ids.add(id);
            }
            while (ids.size() > ROOM) {
                ids.remove(ids.iterator().next());
            }
            any = !ids.isEmpty();
        }

        synchronized boolean contains(long id) {
            return ids.contains(id);
        }

        /** Whether it is one of them; it is none any more. */
        boolean remove(long id) {
            return any && removed(id);
        }

        private synchronized boolean removed(long id) {
            boolean removed = ids.remove(id);
            any = !ids.isEmpty();
            return removed;
        }
    }
}
