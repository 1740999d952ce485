package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.job.ClaimedJob;

/** Whether a job has a key. Jobs of the two kinds are claimed in different ways and share the threads of their queue. */
public enum Kind {
    /** Without a key. */
    PLAIN,
    /** With a key. */
    KEYED;

    public static Kind of(ClaimedJob job) {
        return job.key() == null ? PLAIN : KEYED;
    }

    public Kind other() {
        return this == PLAIN ? KEYED : PLAIN;
    }
}
