package dev.rowlock.queue.internal.store.claim;

import java.util.List;

/**
 * A part of a queue, in its order.
 *
 * @param after jobs behind this place
 * @param maxRank and no less urgent than this
 * @param orFurther if other nodes are at work on the same rank and have got further: behind their place
 * @param without the ids of jobs that are left out
 */
public record QueueRange(QueuePosition after, int maxRank, boolean orFurther, List<Long> without) {

    public QueueRange {
        without = List.copyOf(without);
    }

    /** The whole queue. */
    public static final QueueRange ALL = from(QueuePosition.FRONT);

    /** Everything behind a place. */
    public static QueueRange from(QueuePosition after) {
        return new QueueRange(after, Short.MAX_VALUE, false, List.of());
    }

    /** Everything behind a place, or behind that of other nodes. */
    public static QueueRange fromOrFurther(QueuePosition after) {
        return new QueueRange(after, Short.MAX_VALUE, true, List.of());
    }

    /** The same, whatever other nodes do. */
    public QueueRange alone() {
        return orFurther ? new QueueRange(after, maxRank, false, without) : this;
    }

    /** The same without these jobs. */
    public QueueRange without(List<Long> ids) {
        return ids.isEmpty() ? this : new QueueRange(after, maxRank, orFurther, ids);
    }

    /** All jobs of one rank. */
    public static QueueRange ofRank(int rank) {
        return new QueueRange(QueuePosition.beforeAllOf(rank), rank, false, List.of());
    }

    /** The jobs of one rank behind one of them. */
    public static QueueRange ofRankFrom(QueuePosition after) {
        return new QueueRange(after, after.rank(), false, List.of());
    }
}
