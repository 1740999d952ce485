package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.job.ClaimedJob;

/** A claimed job, held by its node until its outcome is recorded or refused. Thread-safe. */
public interface HeldJob {

    ClaimedJob job();

    /** The node holds it no longer. Returns whether it did until now. */
    boolean letGo();
}
