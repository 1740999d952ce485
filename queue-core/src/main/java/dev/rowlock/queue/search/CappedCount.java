package dev.rowlock.queue.search;

/**
 * How many jobs match, counted up to a limit.
 *
 * @param jobs how many there are, or the limit
 * @param more whether there are more than the limit
 */
public record CappedCount(long jobs, boolean more) {

    /** For people: {@code 1000+} if there are more. */
    @Override
    public String toString() {
        return more ? jobs + "+" : Long.toString(jobs);
    }
}
