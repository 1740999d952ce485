package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.spi.Wakeups;

/**
 * Jobs of one queue that a move has made runnable, and what nodes must hear of it once it is committed.
 *
 * @param rank of the most urgent one
 * @param keys whether some of them have keys
 */
public record ReadyJobs(String queue, int rank, long jobs, boolean keys) {

    public void wake(Wakeups wakeups) {
        if (jobs > 0) {
            wakeups.jobsReady(queue, rank, jobs);
        }
        wakeKeys(wakeups);
    }

    /** The same, of jobs that are back at the places in the queue that they had. */
    public void wakeBack(Wakeups wakeups) {
        if (jobs > 0) {
            wakeups.jobsBack(queue, rank, jobs);
        }
        wakeKeys(wakeups);
    }

    private void wakeKeys(Wakeups wakeups) {
        if (keys) {
            wakeups.keysReady(queue);
        }
    }
}
