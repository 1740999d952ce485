package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.spi.Wakeups;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of one queue that a move has made runnable, and what nodes must hear of it once it is committed.
 *
 * @param rank of the most urgent one
 * @param keys theirs, or one more than {@link #MOST_KEYS} of them; null: nobody knows which, if any
 */
public record ReadyJobs(
        String queue, int rank, long jobs, @Nullable List<String> keys) {

    /** Of more keys, nodes do not hear which they are. */
    public static final int MOST_KEYS = 8;

    /** What a move says of the keys of a group of jobs, for {@link Columns#textList}. */
    public static final String KEYS = "array_agg(job_key) FILTER (WHERE job_key IS NOT NULL)";

    public ReadyJobs {
        keys = keys == null
                ? null
                : keys.stream().distinct().limit(MOST_KEYS + 1).toList();
    }

    public void wake(Wakeups wakeups) {
        if (jobs > 0) {
            wakeups.jobsReady(queue, rank, jobs);
        }
        wakeKeys(wakeups);
    }

    /** The same, of jobs that are back at the places in the queue that they had. */
    public void wakeBack(Wakeups wakeups) {
        if (jobs > 0) {
            wakeups.jobsBack(queue, rank, jobs);
        }
        wakeKeys(wakeups);
    }

    private void wakeKeys(Wakeups wakeups) {
        if (keys == null || keys.size() > MOST_KEYS) {
            wakeups.keysReady(queue);
        } else {
            keys.forEach(key -> wakeups.keysReady(queue, key));
        }
    }
}
