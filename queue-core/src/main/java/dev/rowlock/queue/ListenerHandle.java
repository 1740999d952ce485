package dev.rowlock.queue;

import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;

/**
 * Starts and stops one listener in this process. Jobs of a listener that does not run stay ready, in their place: other
 * nodes run them, or this one once it is started again. The other listeners of its queue go on; they walk over its jobs, so
 * a listener that is stopped for long while many jobs of it wait deserves a queue of its own. What is said here outlasts
 * {@link Rowlock#stop}, not the process. Thread-safe.
 *
 * <p>To pause a queue on all nodes, see {@link JobAdmin#pause}.
 */
public final class ListenerHandle {

    private final Rowlock rowlock;
    private final ListenerDefinition listener;

    ListenerHandle(Rowlock rowlock, ListenerDefinition listener) {
        this.rowlock = rowlock;
        this.listener = listener;
    }

    public String id() {
        return listener.id();
    }

    /** The queue that it listens to. */
    public String queue() {
        return listener.queue();
    }

    /** The type of the jobs that it takes. */
    public String type() {
        return listener.type();
    }

    /** Whether it runs jobs: it is started, and so is this process's node. */
    public boolean running() {
        return rowlock.runs(listener);
    }

    /**
     * Runs jobs from now on, or once the node is started.
     *
     * @throws IllegalStateException if this deployment does not run the listener's queue
     */
    public void start() {
        rowlock.turn(listener, true);
    }

    /** Begins no further job, and returns at once. Jobs that are running go on; those claimed and not begun go back. */
    public void pause() {
        rowlock.turn(listener, false);
    }

    /**
     * Pauses, and waits until no job of this listener is running here. Interrupts none of them.
     *
     * @return false if the time was over before
     */
    public boolean stop(Duration longest) throws InterruptedException {
        pause();
        return rowlock.awaitIdle(listener, longest);
    }

    @Override
    public String toString() {
        return "listener '%s' of queue '%s'".formatted(id(), queue());
    }
}
