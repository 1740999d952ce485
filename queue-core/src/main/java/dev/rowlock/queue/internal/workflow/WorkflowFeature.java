package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.chore.SharedChore;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.util.List;
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
        Cancels cancels = new Cancels(new CancelWorkflows(database), progress, wakeups);
        Sweep sweep = new Sweep(progress, cancels, node, System::nanoTime);
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
}
