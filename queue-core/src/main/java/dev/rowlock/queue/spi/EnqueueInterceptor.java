package dev.rowlock.queue.spi;

/**
 * Wraps each call that enqueues jobs, before anything is written: for traces, for headers that every job is to carry, to refuse.
 * Several wrap each other in their order, the first one outside. Thread-safe: called by all threads that enqueue.
 *
 * <pre>{@code
 * void intercept(EnqueueCall call, Runnable next) {
 *     call.headers(Map.of("tenant", Tenants.current()));
 *     next.run();
 * }
 * }</pre>
 *
 * <p><b>Where.</b> On the caller's thread, inside its transaction if there is one: that may roll back after the call has returned.
 * Payloads are encoded and written within {@code next}.
 *
 * <p><b>What it throws</b> reaches the caller, and so does what {@code next} throws. Whoever refuses a call throws before {@code
 * next}; without a transaction of the caller's, the jobs are there once {@code next} has returned.
 *
 * <p>Jobs of recurring jobs, and those that SQL functions enqueue, come from no such call.
 */
@FunctionalInterface
public interface EnqueueInterceptor {

    /**
     * Called for each call, whether it brings one job or many.
     *
     * @param next goes on; to be run on the same thread, and once
     */
    void intercept(EnqueueCall call, Runnable next);
}
