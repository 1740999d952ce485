package dev.rowlock.queue.internal.run;

import java.util.concurrent.atomic.AtomicLongArray;

/** Which job each thread of a queue runs, and since when. Each thread writes its own places; anybody reads. */
final class RunningHandlers {

    private static final int JOB = 0; // its id; 0: none
    private static final int BEGUN = 1; // monotonic

    /** From thread to thread, so that they do not write to the same cache line. */
    private static final int STRIDE = 8;

    private final int threads;
    private final AtomicLongArray places;

    RunningHandlers(int threads) {
        this.threads = threads;
        this.places = new AtomicLongArray(threads * STRIDE);
    }

    int threads() {
        return threads;
    }

    /** The thread with this number begins to run a job. */
    void begin(int thread, long jobId, long now) {
        places.setPlain(thread * STRIDE + BEGUN, now);
        places.setRelease(thread * STRIDE + JOB, jobId);
    }

    /** It has ended. */
    void end(int thread) {
        places.setRelease(thread * STRIDE + JOB, 0);
    }

    /** For how long the thread has been running its job, in nanoseconds; 0 if it has none. */
    long elapsed(int thread, long now) {
        boolean none = places.getAcquire(thread * STRIDE + JOB) == 0;
        return none ? 0 : Math.max(0, now - places.getPlain(thread * STRIDE + BEGUN));
    }

    /** Whether one of the threads runs this job, under whatever claim. */
    boolean run(long jobId) {
        for (int thread = 0; thread < threads; thread++) {
            if (places.getAcquire(thread * STRIDE + JOB) == jobId) {
                return true;
            }
        }
        return false;
    }
}
