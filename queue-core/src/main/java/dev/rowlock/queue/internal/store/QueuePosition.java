package dev.rowlock.queue.internal.store;

import java.time.Duration;
import java.time.OffsetDateTime;

/** A place in a queue's order: the key of the index that claims read. */
public record QueuePosition(int rank, OffsetDateTime readyAt, long id) implements Comparable<QueuePosition> {

    /** Before every job. */
    public static final QueuePosition FRONT = new QueuePosition(Short.MIN_VALUE, OffsetDateTime.MIN, 0);

    /** Before all jobs of this rank that became ready up to so much earlier. */
    public QueuePosition earlier(Duration by) {
        return equals(FRONT) ? this : new QueuePosition(rank, readyAt.minus(by), 0);
    }

    @Override
    public int compareTo(QueuePosition other) {
        if (rank != other.rank) {
            return Integer.compare(rank, other.rank);
        }
        int byTime = readyAt.compareTo(other.readyAt);
        return byTime != 0 ? byTime : Long.compare(id, other.id);
    }
}
