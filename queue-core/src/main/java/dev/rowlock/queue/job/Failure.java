package dev.rowlock.queue.job;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that has just failed, as a retry strategy sees it.
 *
 * @param job what its claim returned, perhaps without its payload
 * @param age how long ago the job was enqueued, by the database's clock
 * @param thrown what the handler threw; for an attempt that ran out of time, what it threw when it was interrupted
 */
public record Failure(ClaimedJob job, Duration age, Throwable thrown) {

    private static final Set<Class<?>> WRAPPERS = Set.of(
            CompletionException.class,
            ExecutionException.class,
            InvocationTargetException.class,
            UndeclaredThrowableException.class);

    /** Causes can go round in circles. */
    private static final int MOST_CAUSES = 20;

    /** Which attempt it was: 1 for the first. */
    public int attempt() {
        return job.attempt();
    }

    /**
     * The exception of this type that the handler meant: what it threw, or the cause if that is one of Java's own wrappers,
     * which say nothing but that something else failed elsewhere: in a future, a proxy, a reflective call.
     */
    public <T extends Throwable> Optional<T> find(Class<T> type) {
        return find(thrown, type);
    }

    /** Whether what the handler threw is of this type, or one of its causes is, however deep. Unlike {@link #find(Class)}, it looks behind all exceptions. */
    public boolean causedBy(Class<? extends Throwable> type) {
        Throwable next = thrown;
        for (int depth = 0; depth < MOST_CAUSES && next != null; depth++) {
            if (type.isInstance(next)) {
                return true;
            }
            next = cause(next);
        }
        return false;
    }

    /** None of an exception that cannot say: it may be the application's own. */
    private static @Nullable Throwable cause(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (RuntimeException | Error e) {
            return null;
        }
    }

    /** As {@link #find(Class)}, for an exception that is not, or not yet, the failure of an attempt. */
    public static <T extends Throwable> Optional<T> find(Throwable thrown, Class<T> type) {
        Throwable next = thrown;
        for (int depth = 0; depth < MOST_CAUSES && next != null; depth++) {
            if (type.isInstance(next)) {
                return Optional.of(type.cast(next));
            }
            next = behind(next);
        }
        return Optional.empty();
    }

    /** Of those classes themselves: what a subclass makes of its cause is the application's. */
    private static @Nullable Throwable behind(Throwable thrown) {
        return WRAPPERS.contains(thrown.getClass()) ? thrown.getCause() : null;
    }
}
