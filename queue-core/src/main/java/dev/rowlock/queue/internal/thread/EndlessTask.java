package dev.rowlock.queue.internal.thread;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A loop that restarts: if it throws, or returns before it is told to end, it restarts after a wait that doubles up to {@link
 * #LONGEST_WAIT}. Any thread may read its state.
 */
public final class EndlessTask implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(EndlessTask.class);

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    /** A loop that has gone on for so long has come to itself. */
    private static final Duration SOUND = Duration.ofSeconds(30);

    /** So many errors in a row are more than a moment without memory. */
    private static final int TOO_MANY = 3;

    private static volatile boolean untold; // since the last error that could be told

    private final String name;
    private final Runnable loop;
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();
    private volatile boolean ending;
    private volatile boolean begun; // written by the loop's thread, as those below
    private volatile boolean over;
    private volatile int errors; // in a row
    private volatile long lastErrorAt;

    /** @param name of the thread, and of the part in the node's health */
    public EndlessTask(String name, Runnable loop) {
        this.name = name;
        this.loop = loop;
    }

    public String name() {
        return name;
    }

    /** A daemon thread for it, not started. */
    public Thread thread() {
        return Threads.daemon(this, name, loader);
    }

    /**
     * Tells of something, in a log or to an observer. Where memory runs out that may throw as well, and there is nobody left to
     * tell; what is told of must go on all the same.
     */
    public static void tell(Runnable message) {
        try {
            message.run();
        } catch (Throwable e) {
            untold = true;
        }
    }

    /** Lets the loop end when it next returns. Call it before the loop is told to return. */
    public void end() {
        ending = true;
    }

    /** Whether the loop cannot go on: it has thrown time and again until now, or its thread is gone. */
    public boolean troubled() {
        if (ending || !begun) {
            return false;
        }
        return over || errors >= TOO_MANY && System.nanoTime() - lastErrorAt < SOUND.toNanos();
    }

    /** Not before {@link #end}, whatever is thrown. */
    @Override
    public void run() {
        begun = true;
        try {
            do { // at least once: a loop that is told to end may have something left to do
                attempt();
            } while (!ending);
        } finally {
            over = true;
        }
    }

    // Whatever it is: no driver, pool or class loader may end this thread. Nor may what is thrown in telling of it, so
    // that what remains to be done after that needs no memory.
    private void attempt() {
        try {
            loop.run();
            if (!ending) {
                throw new IllegalStateException("it returned though nobody told it to end");
            }
        } catch (Throwable e) {
            try {
                survive(e);
            } catch (Throwable again) {
                untold = true;
            }
        }
    }

    private void survive(Throwable e) {
        Thread.interrupted(); // or each wait would be over at once
        long now = System.nanoTime();
        errors = errors > 0 && now - lastErrorAt > SOUND.toNanos() ? 1 : Math.min(errors + 1, Integer.MAX_VALUE / 2);
        lastErrorAt = now;
        try {
            log.error(
                    "thread '{}' failed and restarts{}",
                    name,
                    untold ? "; some log lines could not be written" : "",
                    e);
            untold = false;
        } finally {
            int doublings = Math.min(errors - 1, 10);
            long until = now + Math.min(SHORTEST_WAIT.toNanos() << doublings, LONGEST_WAIT.toNanos());
            // An interrupt of before still lets the first one return at once.
            for (long left = until - now; left > 0 && !ending; left = until - System.nanoTime()) {
                LockSupport.parkNanos(left);
                Thread.interrupted();
            }
        }
    }
}
