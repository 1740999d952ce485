package dev.rowlock.queue.internal.claim;

import java.util.List;

/**
 * A part of a queue, in its order.
 *
 * @param after jobs behind this place
 * @param maxRank and no less urgent than this
 * @param orFurther if other nodes are at work on the same rank and have got further: behind their place
 * @param without the ids of jobs that are left out
 * @param withoutTypes the types of jobs that are left out
 */
public record QueueRange(
        QueuePosition after, int maxRank, boolean orFurther, List<Long> without, List<String> withoutTypes) {

    public QueueRange {
        without = List.copyOf(without);
        withoutTypes = List.copyOf(withoutTypes);
    }

    /** The whole queue. */
    public static final QueueRange ALL = from(QueuePosition.FRONT);

    /** Everything behind a place. */
    public static QueueRange from(QueuePosition after) {
        return new QueueRange(after, Short.MAX_VALUE, false, List.of(), List.of());
    }

    /** Everything behind a place, or behind that of other nodes. */
    public static QueueRange fromOrFurther(QueuePosition after) {
        return new QueueRange(after, Short.MAX_VALUE, true, List.of(), List.of());
    }

    /** The same, whatever other nodes do. */
    public QueueRange alone() {
        return orFurther ? new QueueRange(after, maxRank, false, without, withoutTypes) : this;
    }

    /** The same without these jobs. */
    public QueueRange without(List<Long> ids) {
        return ids.isEmpty() ? this : new QueueRange(after, maxRank, orFurther, ids, withoutTypes);
    }

    /** The same without jobs of these types. */
    public QueueRange withoutTypes(List<String> types) {
        return types.isEmpty() ? this : new QueueRange(after, maxRank, orFurther, without, types);
    }

    /** Whether it is the whole of what lies between its ends. */
    public boolean complete() {
        return without.isEmpty() && withoutTypes.isEmpty();
    }

    /** All jobs of one rank. */
    public static QueueRange ofRank(int rank) {
        return new QueueRange(QueuePosition.beforeAllOf(rank), rank, false, List.of(), List.of());
    }

    /** The jobs of one rank behind one of them. */
    public static QueueRange ofRankFrom(QueuePosition after) {
        return new QueueRange(after, after.rank(), false, List.of(), List.of());
    }
}
