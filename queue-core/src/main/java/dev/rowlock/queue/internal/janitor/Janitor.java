package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.ChoreLoop;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.lease.ReleaseStrandedJobs;
import dev.rowlock.queue.internal.lease.RemoveExpiredNodes;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.spi.ChoreStatus;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the chores of this node. The dispatcher has a thread of its own, because jobs wait for it. So have the chores that take jobs from dead nodes, lost claims and late handlers: no count or drop of large tables, and no lock of another transaction, may delay them. The others share a third thread. Each uses one connection at a time.
 */
public final class Janitor {

    private final Dispatcher dispatcher;
    private final Rescue rescue;
    private final UnacknowledgedClaims unacknowledgedClaims;
    private final ChoreLoop dispatching;
    private final ChoreLoop rescuing;
    private final ChoreLoop sharing;

    /** @param others chores that share one thread: {@link Cleanup} */
    public Janitor(
            Database database,
            JanitorSettings settings,
            OwnNode own,
            JobObserver observer,
            Wakeups wakeups,
            List<Chore> others) {
        TakeChore takeChore = new TakeChore(database);
        LeaseSettings lease = settings.lease();
        OrphanRescue orphanRescue = new OrphanRescue(new RescueJobs(database), lease.maxCrashes(), observer, wakeups);
        this.dispatcher = new Dispatcher(
                new DispatchDueJobs(database),
                wakeups,
                settings.pollInterval(),
                () -> own.hearing() ? own.place() : Place.ALONE);
        this.rescue = new Rescue(new RemoveExpiredNodes(database), own, orphanRescue);
        this.unacknowledgedClaims = new UnacknowledgedClaims(new ReleaseStrandedJobs(database), own, wakeups);
        this.dispatching = new ChoreLoop("rowlock-dispatcher", List.of(dispatcher));
        this.rescuing = new ChoreLoop(
                "rowlock-rescue",
                List.of(
                        rescue,
                        orphanRescue.chore(takeChore),
                        unacknowledgedClaims,
                        new OverdueJobs(
                                own, new OverdueStatements(database), settings.retry(), wakeups, System::nanoTime)));
        this.sharing = new ChoreLoop("rowlock-janitor", others);
    }

    public void start() {
        dispatching.start();
        rescuing.start();
        sharing.start();
    }

    /** After this time, another node's lease runs out unless it is renewed. */
    public void leaseEnds(Duration in) {
        rescuing.runWithin(rescue, in.plus(Rescue.MOMENT));
    }

    /** A claim has failed; whether it was committed, nobody knows. */
    public void claimFailed() {
        unacknowledgedClaims.claimFailed();
        rescuing.runWithin(
                unacknowledgedClaims, Duration.ZERO); // to note which claims there are; it looks for them later
    }

    /** A job that this process has enqueued is due after this time. */
    public void jobsWaiting(Duration dueIn) {
        dispatching.runWithin(dispatcher, dispatcher.waitingHere(dueIn));
    }

    /** A job that all nodes have heard of is due after this time. */
    public void jobsWaitingElsewhere(Duration dueIn) {
        dispatching.runWithin(dispatcher, dispatcher.waitingElsewhere(dueIn));
    }

    /** Another node has moved all jobs that were due; the next one is due after this time, null: none. */
    public void dueJobsMoved(@Nullable Duration nextDue) {
        dispatching.runWithin(dispatcher, dispatcher.movedElsewhere(nextDue));
    }

    /** All nodes have heard of this look of this one for due jobs, and of those before it. */
    public void allHaveHeardOf(long look) {
        dispatcher.allHaveHeardOf(look);
    }

    /** Its threads. */
    public List<EndlessTask> parts() {
        return List.of(dispatching.part(), rescuing.part(), sharing.part());
    }

    /** Its threads with a chore that has not succeeded for long, by name. */
    public Stream<String> failing() {
        return Stream.of(dispatching, rescuing, sharing)
                .filter(ChoreLoop::failing)
                .map(loop -> loop.part().name());
    }

    /** How each chore does. */
    public Stream<ChoreStatus> chores() {
        return Stream.of(dispatching, rescuing, sharing).flatMap(ChoreLoop::statuses);
    }

    /** Lets the threads end after what is under way. */
    public void stop() {
        dispatching.stop();
        rescuing.stop();
        sharing.stop();
    }

    /** Waits for that, but not longer than this. */
    public void awaitStop(Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        for (ChoreLoop loop : List.of(dispatching, rescuing, sharing)) {
            loop.awaitStop(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }
}
