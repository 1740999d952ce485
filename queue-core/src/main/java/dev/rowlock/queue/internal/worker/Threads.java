package dev.rowlock.queue.internal.worker;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where threads come from. */
final class Threads {

    private static final Logger log = LoggerFactory.getLogger(Threads.class);

    private static final Duration AFTER_ERROR = Duration.ofMillis(200);

    private Threads() {}

    /** Daemon platform threads: {@code name}, or numbered if there are several. */
    static ThreadFactory daemon(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            int number = count.incrementAndGet();
            Thread thread = new Thread(task, number == 1 ? name : name + "-" + number);
            thread.setDaemon(true);
            return thread;
        };
    }

    /**
     * A daemon thread that begins its task anew should that throw, as anything may where memory runs out: a node must not
     * lose a part of itself and go on without it.
     */
    static Thread persistent(String name, Runnable task) {
        Thread thread = new Thread(() -> persist(task), name);
        thread.setDaemon(true);
        return thread;
    }

    private static void persist(Runnable task) {
        boolean ended = false;
        while (!ended) {
            try {
                task.run();
                ended = true;
            } catch (RuntimeException | Error e) {
                log.error("a thread of Rowlock's own met an error and begins anew", e);
                LockSupport.parkNanos(AFTER_ERROR.toNanos());
            }
        }
    }

    /** Threads for handlers; virtual ones need JDK 21 or later. */
    static ThreadFactory handlers(String name, boolean virtual) {
        if (!virtual) {
            return numbered(name);
        }
        try {
            // Java 17 is the baseline: Thread.ofVirtual().name(prefix, 1).factory(), by reflection.
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            Method named = type.getMethod("name", String.class, long.class);
            return (ThreadFactory) type.getMethod("factory").invoke(named.invoke(builder, name + "-", 1L));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("virtual threads need JDK 21 or later; this is " + Runtime.version(), e);
        }
    }

    private static ThreadFactory numbered(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
