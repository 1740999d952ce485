package dev.rowlock.queue.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Told, after the fact has been committed, that there may be something to do. Only latency depends on it: every
 * receiver also looks by itself at regular intervals. Thread-safe; never blocks; never throws.
 */
public interface Wakeups {

    /** So many jobs became runnable in this queue, the most urgent with this rank (minus its priority). */
    void jobsReady(String queue, int rank, long jobs);

    /** As {@link #jobsReady}, of jobs that went back to the place in the queue that they had: others may have passed it. */
    default void jobsBack(String queue, int rank, long jobs) {
        jobsReady(queue, rank, jobs);
    }

    /**
     * A statement that is a transaction of its own is about to make a job of this queue runnable. Returns what it may send
     * along by NOTIFY, so that other nodes hear of the job together with the commit. Null, the default: nothing now; they
     * are told by {@link #jobsReady} after the commit.
     */
    default @Nullable String sendAlong(String queue, int rank) {
        return null;
    }

    /** Instead of {@link #jobsReady}, after the commit of a statement that sent along what it was given, and took so long. */
    default void sentAlong(String queue, int rank, Duration took) {
        jobsReady(queue, rank, 1);
    }

    /** A job will become runnable after this time. Zero: now, or nobody knows since when. */
    void jobsWaiting(Duration dueIn);

    /**
     * All jobs that were due have been made runnable, so nobody else need look for them. The next one is due after this
     * time; null: none waits.
     *
     * @param look the node's own number of the look that moved them. Of jobs that others hear of later the node may have seen
     *     nothing: it must hear its own message, too, and look for what it hears of before that
     */
    default void dueJobsMoved(@Nullable Duration nextDue, long look) {}

    /**
     * There are jobs with {@linkplain dev.rowlock.queue.job.JobOptions#key(String) keys} in this queue that became runnable, or a limit has
     * room for one: nodes look for such jobs.
     *
     * @param key theirs, so that nodes look for it first; null: nobody knows
     */
    default void keysReady(String queue, @Nullable String key) {}

    /** The same of keys that nobody knows. */
    default void keysReady(String queue) {
        keysReady(queue, null);
    }

    /** A queue was paused or resumed, or a running job is to be cancelled: nodes should beat now. */
    void attention();

    /** Nobody is told: polling does everything. */
    Wakeups NONE = new Wakeups() {
        @Override
        public void jobsReady(String queue, int rank, long jobs) {}

        @Override
        public void jobsWaiting(Duration dueIn) {}

        @Override
        public void attention() {}
    };
}
