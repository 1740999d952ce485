package dev.rowlock.queue.internal.thread;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Creates threads. They have nothing of the thread that happens to need them, such as that of a web request that enqueues: no inheritable values, and
 * not its priority. Their context class loader is that of the thread that made the factory.
 */
public final class Threads {

    private Threads() {}

    /** A daemon platform thread, not started. */
    static Thread daemon(Runnable task, String name, @Nullable ClassLoader loader) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setContextClassLoader(loader);
        return thread;
    }

    /** Daemon platform threads: {@code name}, or numbered if there are several. */
    public static ThreadFactory daemon(String name) {
        return daemons(number -> number == 1 ? name : name + "-" + number);
    }

    /** Threads for handlers; virtual ones need JDK 21 or later. */
    public static ThreadFactory handlers(String name, boolean virtual) {
        if (!virtual) {
            return daemons(number -> name + "-" + number);
        }
        try {
            // Java 17 is the baseline: Thread.ofVirtual().name(prefix,
            // 1).inheritInheritableThreadLocals(false).factory(), by reflection.
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            builder = type.getMethod("name", String.class, long.class).invoke(builder, name + "-", 1L);
            builder = type.getMethod("inheritInheritableThreadLocals", boolean.class)
                    .invoke(builder, false);
            ThreadFactory factory = (ThreadFactory) type.getMethod("factory").invoke(builder);
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            return task -> {
                Thread thread = factory.newThread(task);
                thread.setContextClassLoader(loader);
                return thread;
            };
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("virtual threads need JDK 21 or later; this is " + Runtime.version(), e);
        }
    }

    private static ThreadFactory daemons(IntFunction<String> name) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        AtomicInteger count = new AtomicInteger();
        return task -> daemon(task, name.apply(count.incrementAndGet()), loader);
    }
}
