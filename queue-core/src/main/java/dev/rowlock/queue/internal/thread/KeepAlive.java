package dev.rowlock.queue.internal.thread;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the process from ending while it runs jobs. The threads of a node are daemons, so that a stop never waits for a
 * handler that does not return; without a web server a worker would end as soon as its main method returns. Not
 * thread-safe.
 */
public final class KeepAlive {

    private @Nullable CountDownLatch end;

    public void start() {
        CountDownLatch awaited = new CountDownLatch(1);
        Thread thread = new Thread(() -> await(awaited), "rowlock-keep-alive");
        thread.setDaemon(false);
        thread.start();
        end = awaited;
    }

    public void stop() {
        if (end != null) {
            end.countDown();
            end = null;
        }
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // somebody wants the process to end
        }
    }
}
