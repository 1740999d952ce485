package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.node.TakeChore;
import dev.rowlock.queue.internal.store.workflow.CancelWorkflows;
import dev.rowlock.queue.internal.store.workflow.RemoveOldWorkflows;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.JobObserver;
import java.util.List;

/** What a node does for workflows. */
public final class Flows implements Feature {

    private final Database database;
    private final WakeupBus wakeups;
    private final EndedJobs ended = new EndedJobs();

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
        return List.of(
                new Resolver(ended, progress, sweep),
                new Rounds(progress, cancels, sweep),
                sweep,
                new OldWorkflows(new TakeChore(database), new RemoveOldWorkflows(database)));
    }
}
