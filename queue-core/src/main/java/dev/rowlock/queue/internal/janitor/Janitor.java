package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.DiscardDeadJobs;
import dev.rowlock.queue.internal.store.DispatchDueJobs;
import dev.rowlock.queue.internal.store.DropDonePartitions;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.MeasureDepth;
import dev.rowlock.queue.internal.store.ReleaseStrandedJobs;
import dev.rowlock.queue.internal.store.RemoveExpiredNodes;
import dev.rowlock.queue.internal.store.RescueJobs;
import dev.rowlock.queue.internal.store.TakeChore;
import dev.rowlock.queue.internal.store.TakeOverdueJobs;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;

/**
 * One node's chores. The dispatcher has a thread of its own, because jobs wait for it; the others share one, with one
 * connection at a time.
 */
public final class Janitor {

    /** A lease must have run out, not be about to. */
    private static final Duration MOMENT = Duration.ofMillis(5);

    private final ChoreLoop dispatcher;
    private final ChoreLoop chores;

    public Janitor(Database database, JanitorSettings settings, OwnClaims own, JobObserver observer, Wakeups wakeups) {
        TakeChore takeChore = new TakeChore(database);
        this.dispatcher = new ChoreLoop(
                "rowlock-dispatcher",
                List.of(new Dispatcher(new DispatchDueJobs(database), wakeups, settings.pollInterval())));
        this.chores = new ChoreLoop(
                "rowlock-janitor",
                List.of(
                        new Rescue(
                                new RemoveExpiredNodes(database),
                                new RescueJobs(database),
                                policy(settings),
                                own::nodeId,
                                observer,
                                wakeups),
                        new StrandedClaims(new ReleaseStrandedJobs(database), own, wakeups),
                        new OverdueJobs(new TakeOverdueJobs(database), settings.retry()),
                        new Retention(
                                settings.retention(),
                                takeChore,
                                new EnsureDonePartitions(database),
                                new DropDonePartitions(database.patient()),
                                new DiscardDeadJobs(database)),
                        new DepthMeasurement(takeChore, new MeasureDepth(database.patient()))));
    }

    private static RescuePolicy policy(JanitorSettings settings) {
        return new RescuePolicy(
                settings.lease().heartbeat().multipliedBy(2), settings.lease().maxCrashes());
    }

    public void start() {
        dispatcher.start();
        chores.start();
    }

    /** After this time, another node's lease runs out unless it is renewed. */
    public void leaseEnds(Duration in) {
        chores.runWithin(in.plus(MOMENT));
    }

    /** A waiting job is due after this time. */
    public void jobsWaiting(Duration dueIn) {
        dispatcher.runWithin(dueIn);
    }

    /** Lets the threads end after what is under way. */
    public void stop() {
        dispatcher.stop();
        chores.stop();
    }

    /** Waits for that, but not longer than this. */
    public void awaitStop(Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        dispatcher.awaitStop(longest);
        chores.awaitStop(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    }
}
