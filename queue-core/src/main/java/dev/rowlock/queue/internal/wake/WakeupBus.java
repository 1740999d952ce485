package dev.rowlock.queue.internal.wake;

import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Passes wake-ups to this process's own workers at once, and to other nodes through a remote, if there is one. */
public final class WakeupBus implements Wakeups {

    private final List<Wakeups> local = new CopyOnWriteArrayList<>();
    private final Wakeups remote;
    private final String origin;
    private volatile LongConsumer workflowEnds = id -> {}; // written once, before a node starts

    /** {@code remote} tells the other nodes; {@link Wakeups#NONE} leaves them to their polling. */
    public WakeupBus(Wakeups remote) {
        this.remote = remote;
        this.origin = remote instanceof Notifier notifier ? notifier.origin() : "";
    }

    /** Adds a worker of this process. */
    public void subscribe(Wakeups worker) {
        local.add(worker);
    }

    /** Sets who hears of workflows whose end this process has seen. Called on a thread of chores: must not keep it long. */
    public void whenWorkflowEnds(LongConsumer told) {
        workflowEnds = told;
    }

    /** This process has seen that a workflow has ended: whoever waits for it here looks at it. */
    public void workflowEnded(long id) {
        workflowEnds.accept(id);
    }

    public void unsubscribe(Wakeups worker) {
        local.remove(worker);
    }

    /**
     * Where a notification listener's messages go: to this worker, without those of this bus, which its own workers know
     * already.
     */
    public Consumer<String> heardBy(RemoteWakeups worker) {
        return message -> WakeupMessage.deliver(message, origin, worker);
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
}
