package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.job.Claim;

/**
 * The claim of a handler that still runs long after its deadline.
 *
 * @param shared the call has further jobs, so nobody knows which of them it hangs on
 */
public record OverdueClaim(Claim claim, boolean shared) {

    /** The job is alone in its call, as far as anybody knows. */
    public static OverdueClaim alone(Claim claim) {
        return new OverdueClaim(claim, false);
    }
}
