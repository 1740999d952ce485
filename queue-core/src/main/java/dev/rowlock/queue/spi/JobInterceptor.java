package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.JobContext;
import org.jspecify.annotations.Nullable;

/**
 * Wraps the handlers of all listeners: for tenants, tracing, reports of exceptions. Several wrap each other in their order,
 * the first one outside. Thread-safe: called by all threads that run jobs.
 *
 * <pre>{@code
 * Object intercept(JobContext job, Invocation next) throws Exception {
 *     try (var tenant = Tenants.choose(job.headers().get("tenant"))) {
 *         return next.proceed();
 *     }
 * }
 * }</pre>
 *
 * <p><b>Order.</b> Payload is there → interceptors → transaction of a transactional listener → payload is decoded → handler.
 * So an interceptor may choose what the transaction depends on, sees exceptions after the rollback, and a payload that cannot
 * be decoded is an exception like any other. The timeout counts from the handler's start; what interceptors do before is not
 * part of it, but the same thread is interrupted when time is up, the job is cancelled, or the node stops.
 *
 * <p><b>What it throws</b> counts as if the handler had thrown it: {@link dev.rowlock.queue.job.SnoozeException} snoozes.
 * Exceptions of the database ({@code DataAccessException}, {@code TransactionException}) before the handler has begun cost no attempt.
 * What is thrown after a transactional listener has committed changes nothing any more and is only logged.
 *
 * <p><b>What it returns</b> is the result of a plain listener that keeps results. A transactional one's result is stored
 * before {@code proceed} returns. An interceptor that does not proceed completes the job without its handler.
 * One that swallows the exception of a handler completes its job. But a job whose handler has not begun is neither completed nor
 * charged with an attempt, whatever is made of the exception that says so: it was cancelled, its node stopped, its transaction could
 * not begin.
 */
@FunctionalInterface
public interface JobInterceptor {

    /** Called for each attempt, on the handler's thread. */
    @Nullable
    Object intercept(JobContext job, Invocation next) throws Exception;

    /** What an interceptor wraps: the next one, and at last the handler. */
    interface Invocation {

        /**
         * Goes on, and returns what the handler returned. To be called on the same thread, and once: a second attempt is a
         * retry, which is not for interceptors to make.
         */
        @Nullable
        Object proceed() throws Exception;
    }
}
