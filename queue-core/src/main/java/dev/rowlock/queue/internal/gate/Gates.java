package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.gate.CountRunningJobs;
import dev.rowlock.queue.internal.store.gate.DeclareLimits;
import dev.rowlock.queue.internal.store.gate.HoldGate;
import dev.rowlock.queue.internal.store.gate.RemoveSpentRates;
import dev.rowlock.queue.internal.store.node.TakeChore;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** What a node does for limits beside keeping them. */
public final class Gates implements Feature {

    private final Database database;
    private final Wakeups wakeups;
    private final Collection<QueueLimit> declared;
    private final Collection<String> queues;

    /**
     * @param declared by the application
     * @param queues whose jobs it runs
     */
    public Gates(Database database, Wakeups wakeups, Collection<QueueLimit> declared, Collection<String> queues) {
        this.database = database;
        this.wakeups = wakeups;
        this.declared = List.copyOf(declared);
        this.queues = List.copyOf(queues);
    }

    /** Whoever is told to slow down slows down the others of its key. */
    public void slowDown(ClaimedJob job, Duration retryAfter) {
        new HoldGate(database).run(job.queue(), job.key(), retryAfter);
    }

    @Override
    public String name() {
        return "gates";
    }

    @Override
    public List<Chore> chores(OwnNode node) {
        return List.of(
                new LimitsChore(new DeclareLimits(database), new CountRunningJobs(database), wakeups, declared, queues),
                new RatesChore(new TakeChore(database), new RemoveSpentRates(database)));
    }
}
