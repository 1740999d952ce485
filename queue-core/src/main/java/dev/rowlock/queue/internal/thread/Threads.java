package dev.rowlock.queue.internal.thread;

import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates threads. */
public final class Threads {

    private Threads() {}

    /** Daemon platform threads: {@code name}, or numbered if there are several. */
    public static ThreadFactory daemon(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            int number = count.incrementAndGet();
            Thread thread = new Thread(task, number == 1 ? name : name + "-" + number);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Threads for handlers; virtual ones need JDK 21 or later. */
    public static ThreadFactory handlers(String name, boolean virtual) {
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
