package dev.rowlock.queue.internal.thread;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the process from ending while it runs jobs. The threads of a node are daemons, so that a stop never waits for a
 * handler that does not return; without a web server a worker would end as soon as its main method returns. Not
 * thread-safe.
 */
public final class KeepAlive {

    private @Nullable Thread waiting;

    public void start() {
        waiting = new Thread(KeepAlive::await, "rowlock-keep-alive");
        waiting.setDaemon(false);
        waiting.start();
    }

    public void stop() {
        if (waiting != null) {
            waiting.interrupt();
            waiting = null;
        }
    }

    /** Until the stop, or until somebody else wants the process to end. */
    private static void await() {
        while (!Thread.interrupted()) {
            LockSupport.park();
        }
    }
}
