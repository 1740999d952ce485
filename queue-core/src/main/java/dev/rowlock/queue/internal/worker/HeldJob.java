package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.job.ClaimedJob;

/** A claimed job, held by its node until its outcome is recorded or refused. Thread-safe. */
interface HeldJob {

    ClaimedJob job();

    /** The node holds it no longer. Returns whether it did until now. */
    boolean letGo();
}
