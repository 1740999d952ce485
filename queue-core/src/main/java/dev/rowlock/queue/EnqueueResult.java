package dev.rowlock.queue;

import dev.rowlock.queue.job.Enqueued;

/**
 * The job that answers a request with a unique key.
 *
 * @param id of the job that will run, or has run, what was asked for
 * @param what what became of the request
 */
public record EnqueueResult(long id, Enqueued what) {

    /** Whether the job is new, and waits for no other one's end. Otherwise a job held the key. */
    public boolean created() {
        return what == Enqueued.CREATED;
    }
}
