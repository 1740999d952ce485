package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.internal.store.QueuePosition;
import dev.rowlock.queue.internal.store.QueueRange;
import java.time.Duration;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/**
 * Where a queue's next claim looks. Used by its fetcher's thread, except {@link #urgent}.
 *
 * <p>A claim goes on behind the last job claimed, so it never walks the index entries of jobs already gone; while some
 * transaction holds back vacuum there may be millions of them. What lands before the cursor is found in three ways:
 *
 * <ul>
 *   <li>transactions that commit side by side: once the queue has been caught up with, a claim begins {@link #OVERLAP}
 *       before the last job;
 *   <li>a wake-up that names a more urgent rank: the next claim looks at that rank, behind its own last job;
 *   <li>all else (transactions that began much earlier than they committed, released jobs, wake-ups that got lost): from the
 *       front. Looking there may cost at most {@link #FRONT_SHARE} of the time. In a healthy table that allows it every
 *       few milliseconds, in one full of dead entries merely less often.
 * </ul>
 */
final class QueueCursor {

    /** The share of time that looks from the front may take. */
    static final double FRONT_SHARE = 0.05;

    /** By so much may the jobs of concurrent transactions become visible out of order without waiting for a front look. */
    static final Duration OVERLAP = Duration.ofMillis(20);

    private enum Look {
        FRONT,
        URGENT,
        ON
    }

    private final NavigableSet<Integer> urgent = new ConcurrentSkipListSet<>();
    private final TreeMap<Integer, QueuePosition> reached = new TreeMap<>(); // by rank; priorities bound its size
    private QueuePosition position = QueuePosition.FRONT;
    private Look look = Look.FRONT;
    private boolean caughtUp;
    private long frontNanos; // what a look from the front costs
    private long frontAllowedAt;

    /** @param now monotonic, in nanoseconds */
    QueueCursor(long now) {
        this.frontAllowedAt = now;
    }

    /** A job of this rank became ready. Any thread. */
    void urgent(int rank) {
        urgent.add(rank);
    }

    /** Where to look now. */
    QueueRange next(long now) {
        if (now - frontAllowedAt >= 0) {
            look = Look.FRONT;
            urgent.clear();
            return QueueRange.ALL;
        }
        urgent.tailSet(position.rank()).clear(); // those lie ahead anyway
        Integer rank = urgent.isEmpty() ? null : urgent.first();
        if (rank != null) {
            look = Look.URGENT;
            QueuePosition last = reached.get(rank);
            return last == null ? QueueRange.ofRank(rank) : QueueRange.ofRankFrom(last);
        }
        look = Look.ON;
        return QueueRange.from(caughtUp ? position.earlier(OVERLAP) : position);
    }

    /**
     * Learns what came of a claim.
     *
     * @param last the last job claimed; null if there was none
     * @param full whether as many came as were asked for
     * @param took how long the claim took
     */
    void claimed(@Nullable QueuePosition last, boolean full, Duration took, long now) {
        if (last != null) {
            reached.merge(last.rank(), last, QueueCursor::further);
            position = further(position, last);
        }
        if (look == Look.URGENT && !full) {
            urgent.pollFirst();
        }
        if (look != Look.URGENT) {
            caughtUp = !full;
        }
        if (look == Look.FRONT) {
            // A single slow one is a stall, not the table: the cost at most doubles from look to look.
            frontNanos = frontNanos == 0 ? took.toNanos() : Math.min(took.toNanos(), 2 * frontNanos);
            frontAllowedAt = now + (long) (frontNanos * (1 / FRONT_SHARE - 1));
        }
    }

    /** How long until there is somewhere else to look though nothing new arrives; zero: at once. */
    Duration untilNextLook(long now) {
        if (look == Look.URGENT || !urgent.headSet(position.rank()).isEmpty()) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.max(0, frontAllowedAt - now));
    }

    /** Whether the last look was from the front: then there was nothing more anywhere. */
    boolean lookedFromFront() {
        return look == Look.FRONT;
    }

    private static QueuePosition further(QueuePosition a, QueuePosition b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
