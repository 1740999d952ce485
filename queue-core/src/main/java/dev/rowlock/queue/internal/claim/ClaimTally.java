package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.spi.ClaimCounts;

/** Counts what the claims of a queue bring. Written by one thread at a time, read by any. */
final class ClaimTally {

    private volatile ClaimCounts counts;

    ClaimTally(String queue) {
        this.counts = new ClaimCounts(queue, 0, 0, 0);
    }

    /** One claim brought so many. */
    void add(int jobs) {
        ClaimCounts before = counts;
        int some = jobs > 0 ? 1 : 0;
        counts = new ClaimCounts(
                before.queue(), before.successful() + some, before.empty() + 1 - some, before.jobs() + jobs);
    }

    ClaimCounts counts() {
        return counts;
    }
}
