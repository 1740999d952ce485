package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.Kind;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Which job, or which chunk, each thread of a queue runs, and since when. Each thread writes its own places; all threads read. */
final class RunningHandlers {

    private static final int JOB = 0; // its id; 0: none
    private static final int BEGUN = 1; // monotonic
    private static final int SLOTS = 2; // how many jobs it has, or may have
    private static final int KIND = 3; // of its job, or of a chunk's first

    private static final Kind[] KINDS = Kind.values();

    /** From thread to thread, so that they do not write to the same cache line. */
    private static final int STRIDE = 8;

    private final int threads;
    private final int idle;
    private final AtomicLongArray places;
    private final AtomicReferenceArray<long @Nullable []> chunks;

    /** @param idle how many jobs a thread takes that has none */
    RunningHandlers(int threads, int idle) {
        this.threads = threads;
        this.idle = idle;
        this.places = new AtomicLongArray(threads * STRIDE);
        this.chunks = new AtomicReferenceArray<>(threads);
        for (int thread = 0; thread < threads; thread++) {
            places.setPlain(thread * STRIDE + SLOTS, idle);
        }
    }

    int threads() {
        return threads;
    }

    /** How many jobs a thread takes that has none. */
    int idle() {
        return idle;
    }

    /** The thread with this number begins to run a job. */
    void begin(int thread, long jobId, Kind kind, long now) {
        begin(thread, jobId, 1, kind, now);
    }

    /** It gathers a chunk of so many jobs at most. */
    void gather(int thread, int most) {
        places.setRelease(thread * STRIDE + SLOTS, most);
    }

    /** It begins to run these jobs, at least one, in one call. */
    void begin(int thread, long[] jobIds, Kind kind, long now) {
        chunks.set(thread, jobIds);
        begin(thread, jobIds[0], jobIds.length, kind, now);
    }

    private void begin(int thread, long firstId, int jobs, Kind kind, long now) {
        places.setPlain(thread * STRIDE + KIND, kind.ordinal());
        places.setPlain(thread * STRIDE + BEGUN, now);
        places.setPlain(thread * STRIDE + SLOTS, jobs);
        places.setRelease(thread * STRIDE + JOB, firstId);
    }

    /** It has ended, or gathers no longer. */
    void endChunk(int thread) {
        end(thread);
        chunks.set(thread, null);
    }

    /** It has ended. */
    void end(int thread) {
        places.setPlain(thread * STRIDE + SLOTS, idle);
        places.setRelease(thread * STRIDE + JOB, 0);
    }

    /** How many jobs the threads have, and those take that have none. */
    int slots() {
        long slots = 0;
        for (int thread = 0; thread < threads; thread++) {
            slots += places.getAcquire(thread * STRIDE + SLOTS);
        }
        return (int) slots;
    }

    /** Of which kind the thread's job is, or the first one of its chunk; null if it has none. */
    @Nullable
    Kind kind(int thread) {
        boolean none = places.getAcquire(thread * STRIDE + JOB) == 0;
        return none ? null : KINDS[(int) places.getPlain(thread * STRIDE + KIND)];
    }

    /** For how long the thread has been running its job, in nanoseconds; 0 if it has none. Of a chunk, each job's share. */
    long elapsed(int thread, long now) {
        boolean none = places.getAcquire(thread * STRIDE + JOB) == 0;
        long jobs = Math.max(1, places.getPlain(thread * STRIDE + SLOTS));
        return none ? 0 : Math.max(0, now - places.getPlain(thread * STRIDE + BEGUN)) / jobs;
    }

    /** Whether one of the threads runs this job, under whatever claim. */
    boolean run(long jobId) {
        for (int thread = 0; thread < threads; thread++) {
            if (places.getAcquire(thread * STRIDE + JOB) == jobId || inChunk(thread, jobId)) {
                return true;
            }
        }
        return false;
    }

    private boolean inChunk(int thread, long jobId) {
        long[] chunk = chunks.get(thread);
        return chunk != null && Arrays.stream(chunk).anyMatch(id -> id == jobId);
    }
}
