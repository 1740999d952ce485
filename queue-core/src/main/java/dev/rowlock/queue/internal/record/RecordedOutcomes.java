package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;

/**
 * An observer of Rowlock's own, that hears of outcomes only: after their commit, one call for each, on the recorder's thread. It is
 * trusted: it waits for nothing and leaves nothing on the thread, so that plain jobs pay next to nothing for it.
 */
public interface RecordedOutcomes extends JobObserver {

    /** An outcome has been recorded. */
    void recorded(ClaimedJob job, Outcome outcome);
}
