package dev.rowlock.queue.internal.claim;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of large payloads a node's claimed jobs may hold before their handlers have run, all queues together. A
 * claim brings along what the budget allows; all other payloads are loaded when their jobs start. Thread-safe.
 */
public final class ClaimBudget {

    /** More would not make claims any quicker. */
    private static final long MOST = 64L << 20;

    /** A claim's payloads lie in memory up to three times for a moment, and a character may take two bytes. */
    private static final int SHARE_OF_HEAP = 16;

    private final long most;
    private final AtomicLong taken = new AtomicLong();

    ClaimBudget(long most) {
        this.most = most;
    }

    public static ClaimBudget ofHeap(long maxHeap) {
        return new ClaimBudget(Math.min(MOST, maxHeap / SHARE_OF_HEAP));
    }

    /**
     * Returns how many bytes the payload of each of so many jobs may have at most. So many times as many are taken until
     * they are given back.
     */
    int reserve(int jobs) {
        while (true) {
            long before = taken.get();
            long each = Math.max(0, Math.min(ClaimReadyJobs.LARGEST_PAYLOAD, (most - before) / jobs));
            if (taken.compareAndSet(before, before + each * jobs)) {
                return (int) each;
            }
        }
    }

    /** A job has brought its payload along: this is never refused. */
    public void take(long bytes) {
        if (bytes > 0) {
            taken.addAndGet(bytes);
        }
    }

    public void giveBack(long bytes) {
        if (bytes > 0) {
            taken.addAndGet(-bytes);
        }
    }

    public long taken() {
        return taken.get();
    }
}
