package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.util.List;
import java.util.Map;

/**
 * Surrounds attempts as a whole and hears how they ended: for traces and profilers. {@link JobInterceptor}s stand within it, and so do
 * the reading of a large payload, the transaction, and the log lines of failures. Several wrap each other in their order, the first one
 * outside. Thread-safe: called by all threads that run jobs.
 *
 * <p>It only looks on. What it throws is logged and changes nothing about the job, and a job whose attempt it does not make is run
 * all the same. What it leaves on the thread is cleared as what handlers leave.
 *
 * <p>An outcome is what the attempt yields; it is not recorded yet. If the claim is lost by then, it is refused.
 */
@FunctionalInterface
public interface AttemptInterceptor {

    /**
     * Called on the handler's thread for each attempt of a job that is about to begin, and for each call of a listener of chunks.
     *
     * @param jobs one; or those of the call. Without their payloads.
     */
    void intercept(List<ClaimedJob> jobs, Attempt attempt);

    /** What an interceptor surrounds. */
    interface Attempt {

        /**
         * Makes the attempt, to its end. Called again, it says the same. Never throws.
         *
         * @return by the job's id; a job without one is run again at once, in another call with fewer jobs
         */
        Map<Long, Outcome> make();
    }
}
