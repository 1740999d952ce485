package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.Kind;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Which job, or which chunk, each thread of a queue runs, and since when. Each thread writes its own place; all threads read. */
final class RunningHandlers {

    /**
     * What a thread has in its hands.
     *
     * @param jobs that it runs, by id; none: it waits, or gathers
     * @param slots how many jobs it has, or may have
     * @param kind of its job, or of a chunk's first; null: it has none
     * @param begun monotonic
     */
    private record Hands(long[] jobs, int slots, @Nullable Kind kind, long begun) {

        static Hands without(int slots) {
            return new Hands(new long[0], slots, null, 0);
        }
    }

    private final Hands none;
    private final AtomicReferenceArray<Hands> threads;

    /** @param idle how many jobs a thread takes that has none */
    RunningHandlers(int threads, int idle) {
        this.none = Hands.without(idle);
        this.threads = new AtomicReferenceArray<>(threads);
        for (int thread = 0; thread < threads; thread++) {
            end(thread);
        }
    }

    int threads() {
        return threads.length();
    }

    /** How many jobs a thread takes that has none. */
    int idle() {
        return none.slots();
    }

    /** The thread with this number gathers a chunk of so many jobs at most. */
    void gather(int thread, int most) {
        threads.setRelease(thread, Hands.without(most));
    }

    /** It begins to run these jobs, at least one, in one call. */
    void begin(int thread, long[] jobIds, Kind kind, long now) {
        threads.setRelease(thread, new Hands(jobIds, jobIds.length, kind, now));
    }

    /** It has ended, or gathers no longer. */
    void end(int thread) {
        threads.setRelease(thread, none);
    }

    /** How many jobs the threads have, and those take that have none. */
    int slots() {
        long slots = 0;
        for (int thread = 0; thread < threads(); thread++) {
            slots += threads.getAcquire(thread).slots();
        }
        return (int) slots;
    }

    /** Of which kind the thread's job is, or the first one of its chunk; null if it has none. */
    @Nullable
    Kind kind(int thread) {
        return threads.getAcquire(thread).kind();
    }

    /** For how long the thread has been running its job, in nanoseconds; 0 if it has none. Of a chunk, each job's share. */
    long elapsed(int thread, long now) {
        Hands hands = threads.getAcquire(thread);
        return hands.kind() == null ? 0 : Math.max(0, now - hands.begun()) / hands.slots();
    }

    /** For how long that thread has been in its call that has been in it longest; zero: none is. */
    Duration longest(long now) {
        long longest = 0;
        for (int thread = 0; thread < threads(); thread++) {
            Hands hands = threads.getAcquire(thread);
            longest = hands.kind() == null ? longest : Math.max(longest, now - hands.begun());
        }
        return Duration.ofNanos(longest);
    }

    /** Whether one of the threads runs this job, under whatever claim. */
    boolean run(long jobId) {
        for (int thread = 0; thread < threads(); thread++) {
            if (Arrays.stream(threads.getAcquire(thread).jobs()).anyMatch(id -> id == jobId)) {
                return true;
            }
        }
        return false;
    }
}
