package dev.rowlock.queue.internal.wake;

import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Passes wake-ups to this process's own workers at once, and to other nodes through a remote, if there is one. */
public final class WakeupBus implements Wakeups {

    private final List<Wakeups> local = new CopyOnWriteArrayList<>();
    private final Wakeups remote;
    private final String origin;
    private volatile @Nullable EndSubscriber ends; // written once, before anybody hears

    /** {@code remote} tells the other nodes; {@link Wakeups#NONE} leaves them to their polling. */
    public WakeupBus(Wakeups remote) {
        this.remote = remote;
        this.origin = remote instanceof Notifier notifier ? notifier.origin() : "";
    }

    /** Adds a worker of this process. */
    public void subscribe(Wakeups worker) {
        local.add(worker);
    }

    /** Sets who hears of jobs that somebody waits for. */
    public void subscribe(EndSubscriber awaited) {
        ends = awaited;
    }

    /** Somebody here waits for the ends of these jobs: other nodes are to say so. */
    public void jobsAwaited(long[] ids) {
        if (remote instanceof Notifier notifier) {
            notifier.jobsAwaited(ids);
        }
    }

    /** This process has seen that a workflow has ended: whoever waits for it, here or elsewhere, looks at it. */
    public void workflowEnded(long id) {
        EndSubscriber awaited = ends;
        if (awaited != null) {
            awaited.ended(-id);
        }
    }

    /** A job has ended that another process waits for; with minus its id, a workflow. */
    public void jobEnded(long id) {
        if (remote instanceof Notifier notifier) {
            notifier.jobEnded(id);
        }
    }

    /** A node of this process hears notifications from now on. */
    public void nodeHears() {
        EndSubscriber awaited = ends;
        if (awaited != null) {
            awaited.nodeHears();
        }
    }

    public void unsubscribe(Wakeups worker) {
        local.remove(worker);
    }

    /**
     * Where a notification listener's messages go: to this worker, without those of this bus, which its own workers know
     * already.
     */
    public Consumer<String> heardBy(RemoteWakeups worker) {
        return message -> WakeupMessage.deliver(message, origin, worker, ends);
    }

    @Override
    public void jobsReady(String queue, int rank, long jobs) {
        local.forEach(worker -> worker.jobsReady(queue, rank, jobs));
        remote.jobsReady(queue, rank, jobs);
    }

    @Override
    public void jobsBack(String queue, int rank, long jobs) {
        local.forEach(worker -> worker.jobsBack(queue, rank, jobs));
        remote.jobsBack(queue, rank, jobs);
    }

    @Override
    public @Nullable String sendAlong(String queue, int rank) {
        return remote.sendAlong(queue, rank);
    }

    @Override
    public void sentAlong(String queue, int rank, Duration took) {
        local.forEach(worker -> worker.jobsReady(queue, rank, 1));
        remote.sentAlong(queue, rank, took);
    }

    @Override
    public void jobsWaiting(Duration dueIn) {
        local.forEach(worker -> worker.jobsWaiting(dueIn));
        if (local.isEmpty()) {
            remote.jobsWaiting(dueIn); // otherwise this node's own dispatcher takes care of it
        }
    }

    @Override
    public void dueJobsMoved(@Nullable Duration nextDue, long look) {
        remote.dueJobsMoved(nextDue, look);
    }

    /** A limit of this queue, or of this key in it, has room that no worker of this process takes. */
    public void roomElsewhere(String queue, @Nullable String key) {
        remote.keysReady(queue, key);
    }

    @Override
    public void keysReady(String queue, @Nullable String key) {
        local.forEach(worker -> worker.keysReady(queue, key));
        remote.keysReady(queue, key);
    }

    @Override
    public void attention() {
        local.forEach(Wakeups::attention);
        remote.attention();
    }

    /**
     * Receives ends of awaited jobs, and of awaited workflows by their negated ids. Called on the thread of the notification
     * listener, or of chores: must not keep it long.
     */
    public interface EndSubscriber {

        /** This process has ended it, or seen that it has. */
        void ended(long id);

        /** Another process waits for the ends of these jobs. */
        void awaitedElsewhere(long[] ids);

        /** Another process has ended these jobs. */
        void endedElsewhere(long[] ids);

        /** A node of this process hears notifications from now on. */
        void nodeHears();
    }
}
