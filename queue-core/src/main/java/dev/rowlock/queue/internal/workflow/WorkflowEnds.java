package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Ended jobs of workflows, as this node has recorded them. Beyond 100,000 of them the sweep finds the others. Thread-safe. */
final class WorkflowEnds {

    private static final int MOST = 100_000;

    private final Queue<Long> ids = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicBoolean missed = new AtomicBoolean();
    private final AtomicBoolean announced = new AtomicBoolean();
    private volatile Runnable trigger = () -> {};

    /** Called when there is something, once until it is taken. */
    void triggers(Runnable run) {
        trigger = run;
        announced.set(false);
        announce();
    }

    private void announce() {
        if ((!ids.isEmpty() || missed.get()) && announced.compareAndSet(false, true)) {
            trigger.run();
        }
    }

    /** Takes up to so many of them. */
    List<Long> take(int most) {
        announced.set(false); // what comes from now on announces itself
        List<Long> some = new ArrayList<>();
        while (some.size() < most) {
            Long id = ids.poll();
            if (id == null) {
                break;
            }
            size.decrementAndGet();
            some.add(id);
        }
        return some;
    }

    /** Whether jobs may have ended since the last call of which it is not known which: those of dead nodes, or too many. */
    boolean takeMissed() {
        return missed.getAndSet(false);
    }

    private void ended(ClaimedJob job) {
        if (Headers.inWorkflow(job.headers())) {
            if (size.get() < MOST) {
                size.incrementAndGet();
                ids.add(job.id());
            } else {
                missed.set(true);
            }
            announce();
        }
    }

    /** Names jobs as soon as their outcomes are recorded. */
    public JobObserver observer() {
        return new JobObserver() {
            @Override
            public boolean immediate() {
                return true;
            }

            @Override
            public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                if (job.headers() != null && outcome.match(Ends.INSTANCE)) {
                    ended(job);
                }
            }

            /** Some may have been cancelled or quarantined by that; and of others that had ended, the dead node may have told nobody. */
            @Override
            public void rescued(int jobs, int quarantined) {
                missed.set(true);
                announce();
            }
        };
    }

    /** Whether the job has ended. */
    private enum Ends implements Outcome.Cases<Boolean> {
        INSTANCE;

        @Override
        public Boolean ended(Outcome.Ended outcome) {
            return true;
        }

        @Override
        public Boolean failed(Outcome.Failed outcome) {
            return true;
        }

        @Override
        public Boolean deferred(Outcome.Deferred outcome) {
            return false;
        }

        @Override
        public Boolean released(Outcome.Released outcome) {
            return false;
        }

        @Override
        public Boolean alreadyCompleted(Outcome.AlreadyCompleted outcome) {
            return true;
        }
    }
}
