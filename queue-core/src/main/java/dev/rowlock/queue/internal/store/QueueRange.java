package dev.rowlock.queue.internal.store;

/**
 * A part of a queue, in its order.
 *
 * @param after jobs behind this place
 * @param maxRank and no less urgent than this
 */
public record QueueRange(QueuePosition after, int maxRank) {

    /** The whole queue. */
    public static final QueueRange ALL = from(QueuePosition.FRONT);

    /** Everything behind a place. */
    public static QueueRange from(QueuePosition after) {
        return new QueueRange(after, Short.MAX_VALUE);
    }

    /** All jobs of one rank. */
    public static QueueRange ofRank(int rank) {
        return new QueueRange(QueuePosition.beforeAllOf(rank), rank);
    }

    /** The jobs of one rank behind one of them. */
    public static QueueRange ofRankFrom(QueuePosition after) {
        return new QueueRange(after, after.rank());
    }
}
