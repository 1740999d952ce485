package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.db.Columns;
import java.time.Duration;

/**
 * A place in a queue's order: the key of the index that claims read.
 *
 * @param readyAtMicros since 1970, as a number because one is made of every row claimed
 */
public record QueuePosition(int rank, long readyAtMicros, long id) implements Comparable<QueuePosition> {

    private static final long BEGINNING_OF_TIME = Long.MIN_VALUE;

    /** Before every job. */
    public static final QueuePosition FRONT = beforeAllOf(Short.MIN_VALUE);

    /** Before every job of this rank. */
    public static QueuePosition beforeAllOf(int rank) {
        return new QueuePosition(rank, BEGINNING_OF_TIME, 0);
    }

    /** As a parameter of PostgreSQL's {@code to_timestamp}, the reverse of {@link Columns#micros}: exact as long as that is. */
    double epochSeconds() {
        return readyAtMicros == BEGINNING_OF_TIME
                ? Double.NEGATIVE_INFINITY
                : readyAtMicros / Columns.MICROS_PER_SECOND;
    }

    /** Before all jobs of this rank that became ready up to so much earlier. */
    public QueuePosition earlier(Duration by) {
        return readyAtMicros == BEGINNING_OF_TIME
                ? this
                : new QueuePosition(rank, readyAtMicros - by.toNanos() / 1_000, 0);
    }

    @Override
    public int compareTo(QueuePosition other) {
        if (rank != other.rank) {
            return Integer.compare(rank, other.rank);
        }
        int byTime = Long.compare(readyAtMicros, other.readyAtMicros);
        return byTime != 0 ? byTime : Long.compare(id, other.id);
    }
}
