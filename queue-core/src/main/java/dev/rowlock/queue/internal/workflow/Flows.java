package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.node.TakeChore;
import dev.rowlock.queue.internal.store.workflow.CancelWorkflows;
import dev.rowlock.queue.internal.store.workflow.RemoveOldWorkflows;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.JobObserver;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a node does for workflows. */
public final class Flows implements Feature {

    private static final Logger log = LoggerFactory.getLogger(Flows.class);

    private final Database database;
    private final WakeupBus wakeups;
    private final EndedJobs ended = new EndedJobs();
    private volatile List<Chore> toFinish = List.of(); // of the node that was started last

    public Flows(Database database, WakeupBus wakeups) {
        this.database = database;
        this.wakeups = wakeups;
    }

    /** Hears of jobs that end on this node. */
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
        Rounds rounds = new Rounds(progress, cancels, sweep);
        toFinish = List.of(resolver, rounds);
        return List.of(
                resolver, rounds, sweep, new OldWorkflows(new TakeChore(database), new RemoveOldWorkflows(database)));
    }

    /** Jobs that have ended while the node was stopping let others run. */
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
            log.debug("not all that has ended could be passed on before the node stopped; a sweep finds it", e);
        }
    }
}
