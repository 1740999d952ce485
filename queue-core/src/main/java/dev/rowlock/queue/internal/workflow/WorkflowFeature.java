package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.chore.SharedChore;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chores for workflows on each node. */
public final class WorkflowFeature implements Feature {

    private static final Logger log = LoggerFactory.getLogger(WorkflowFeature.class);

    /** Workflows that ended long ago are removed so often, some at a time. */
    private static final Duration OLD = Duration.ofMinutes(10);

    private final Database database;
    private final WakeupBus wakeups;
    private final WorkflowEnds ended = new WorkflowEnds();
    private volatile List<Chore> toFinish = List.of(); // of the node that was started last

    public WorkflowFeature(Database database, WakeupBus wakeups) {
        this.database = database;
        this.wakeups = wakeups;
    }

    /** Receives the ends of jobs on this node. */
    public JobObserver observer() {
        return ended.observer();
    }

    @Override
    public String name() {
        return "workflows";
    }

    @Override
    public List<Chore> chores(OwnNode node) {
        Progress progress = new Progress(database, wakeups);
        CancelWorkflows.Rounds cancels = new CancelWorkflows.Rounds(new CancelWorkflows(database), progress, wakeups);
        Sweep sweep = new Sweep(database, progress, node, System::nanoTime);
        Resolver resolver = new Resolver(ended, progress, sweep);
        LargeWorkflows large = new LargeWorkflows(progress, cancels, sweep);
        toFinish = List.of(resolver, large);
        RemoveOldWorkflows old = new RemoveOldWorkflows(database);
        return List.of(
                resolver,
                large,
                sweep,
                new SharedChore(new TakeChore(database), "old workflows", OLD, () -> old.run() ? Duration.ZERO : OLD));
    }

    /** Continues workflows whose jobs have ended while the node was stopping. */
    @Override
    public void last(TimeBudget longest) {
        try {
            boolean more = true;
            while (more && !longest.over()) {
                more = false;
                for (Chore chore : toFinish) {
                    more |= chore.runOnce().isZero();
                }
            }
        } catch (RuntimeException e) {
            log.debug("passing on ended jobs at the stop failed; a sweep finds them", e);
        }
    }

    /** Continues workflows at once whose jobs have ended on this node. */
    private static final class Resolver implements Chore {

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
        public void triggeredBy(Trigger trigger) {
            ended.triggers(trigger::now);
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

    /**
     * Works on large workflows: moves jobs of large steps, skips one step after the other, cancels large workflows. A part of it
     * in each round, in turns with the other chores, so that all other workflows go on meanwhile.
     */
    private static final class LargeWorkflows implements Chore {

        /** It is told what there is to do, but may have missed that a workflow is to be cancelled. */
        private static final Duration REST = Duration.ofSeconds(10);

        /** While jobs of a workflow that is to be cancelled run on. */
        private static final Duration WHILE_CANCELLING = Duration.ofSeconds(1);

        private final Progress progress;
        private final CancelWorkflows.Rounds cancels;
        private final Sweep sweep;

        LargeWorkflows(Progress progress, CancelWorkflows.Rounds cancels, Sweep sweep) {
            this.progress = progress;
            this.cancels = cancels;
            this.sweep = sweep;
        }

        @Override
        public String name() {
            return "large workflows";
        }

        @Override
        public void triggeredBy(Trigger trigger) {
            progress.triggers(trigger::now);
        }

        @Override
        public boolean dueAfterChange() {
            return true;
        }

        @Override
        public Duration runOnce() {
            boolean cancelling = cancels.find(); // nothing is taken yet
            try {
                boolean more = progress.round();
                more |= cancels.round();
                return more ? Duration.ZERO : cancelling ? WHILE_CANCELLING : REST;
            } catch (RuntimeException e) {
                sweep.soon(); // that part has been taken, so nobody else looks for it
                throw e;
            }
        }
    }

    /** Ended jobs of workflows, as this node has recorded them. Beyond 100,000 of them the sweep finds the others. Thread-safe. */
    static final class WorkflowEnds {

        private static final int MOST = 100_000;

        private final BlockingQueue<Long> ids = new LinkedBlockingQueue<>(MOST);
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
            ids.drainTo(some, most);
            return some;
        }

        /** Whether jobs may have ended since the last call of which it is not known which: those of dead nodes, or too many. */
        boolean takeMissed() {
            return missed.getAndSet(false);
        }

        private void ended(ClaimedJob job) {
            if (Headers.inWorkflow(job.headers())) {
                if (!ids.offer(job.id())) {
                    missed.set(true);
                }
                announce();
            }
        }

        /** Names jobs as soon as their outcomes are recorded. */
        JobObserver observer() {
            return new JobObserver() {
                @Override
                public boolean immediate() {
                    return true;
                }

                @Override
                public void finished(ClaimedJob job, Outcome outcome, Duration took) {
                    if (job.headers() != null && hasEnded(outcome)) {
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

        /** A job that is named without having ended costs a look at its room. */
        private static boolean hasEnded(Outcome outcome) {
            return !(outcome instanceof Outcome.Deferred || outcome instanceof Outcome.Released);
        }
    }
}
