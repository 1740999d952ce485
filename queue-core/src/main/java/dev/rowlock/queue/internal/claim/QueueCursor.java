package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.thread.CostBudget;
import java.time.Duration;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a queue's next claim looks. Used by one thread at a time, except {@link #urgent} and {@link #jobsBack}.
 *
 * <p>A claim goes on behind the last job claimed, by whichever node, so it never walks the index entries of jobs already gone;
 * while some transaction holds back vacuum there may be millions of them. What lands before the cursor is found in five ways:
 *
 * <ul>
 *   <li>transactions that commit side by side: once the queue has been caught up with, a claim begins {@link #OVERLAP}
 *       before the last job;
 *   <li>a wake-up that names a more urgent rank: the next claim looks at that rank, behind its own last job;
 *   <li>jobs that went back to their place: from the front, for those who hear of them; each node may look there for {@link
 *       #SHARE} of its own time, which lets it do so where the table is healthy;
 *   <li>all else (transactions that began much earlier than they committed, wake-ups that got lost): from the front. Looking
 *       there may cost all nodes together at most {@link #SHARE} of the time. In a healthy table that allows it every few
 *       milliseconds;
 *   <li>in a table full of dead entries, where a look from the front takes seconds and comes once a minute: from two seconds
 *       and from a minute before the last job of the rank where the most happens, each for at most {@link #SHARE} of the time
 *       as well.
 * </ul>
 *
 * <p>A look that finds more than it can take continues until it reaches the cursor: behind a large transaction that
 * committed late there may be millions of jobs, and looks alone would bring a twentieth of what the node can run. What it
 * costs to walk over dead entries on the last stretch counts as part of the look.
 *
 * <p>A look that finds nothing may still have walked over a million jobs: those of a large transaction that is not committed
 * yet. So polls, too, may take at most {@link #SHARE} of the time. A fetcher that is woken looks at once all the same.
 */
final class QueueCursor {

    /** The share of time that looks from the front may take, those of all nodes together; and those back by some time. */
    static final double SHARE = 0.05;

    /** By so much may the jobs of concurrent transactions become visible out of order without waiting for a front look. */
    static final Duration OVERLAP = Duration.ofMillis(20);

    /** Looking back is not worth it where this node or another looks from the front as soon as this. */
    private static final Duration SOON = Duration.ofSeconds(2);

    /** So long it matters that jobs went back to their place; after that they are found by looks that nobody calls for. */
    private static final Duration BACK_MATTERS = Duration.ofSeconds(2);

    /** After so many looks at more urgent ranks, one back is due before the next. */
    private static final int URGENT_IN_A_ROW = 8;

    private enum Look {
        FRONT,
        URGENT,
        BACK,
        BEHIND,
        ON
    }

    private final NavigableSet<Integer> urgent = new ConcurrentSkipListSet<>();
    private final TreeMap<Integer, QueuePosition> reached = new TreeMap<>(); // by rank; priorities bound its size
    private final AtomicLong backUntil; // monotonic; later than now: jobs went back, and were not looked for since
    private QueuePosition position = QueuePosition.FRONT;
    private @Nullable Behind behind; // a look that is not over yet
    private Look look = Look.FRONT;
    private long backBefore; // what backUntil was when the last look from the front began
    private int urgentInARow; // since the last chance to look back
    private @Nullable Integer lookedRank; // of a look at one rank whose claim has not ended well yet
    private final ActiveRanks active = new ActiveRanks();
    private boolean caughtUp;
    private final CostBudget front;
    private final CostBudget nothing; // looks of any kind that found nothing
    private final List<LookBack> back; // the farthest first
    private int lookedBack; // index of the last one

    /**
     * As many as there are nodes, on average. When the server is slow it is slow for all of them: without chance they
     * would all wait equally long, and then look at the same time.
     */
    static DoubleUnaryOperator sharers(IntSupplier nodes) {
        return chance -> {
            int now = nodes.getAsInt();
            return now == 1 ? 1 : 2 * now * chance;
        };
    }

    /** How much of the time each of them may take. */
    private static DoubleUnaryOperator share(DoubleUnaryOperator sharers) {
        return chance -> SHARE / sharers.applyAsDouble(chance);
    }

    /** The same, of as many nodes as there are. */
    static DoubleUnaryOperator share(IntSupplier nodes) {
        return share(sharers(nodes));
    }

    /**
     * @param sharers how many share what such looks may take, by a number between 0 and 1 that chance has drawn: what one of them
     *     finds, the others need not look for
     * @param now monotonic, in nanoseconds
     */
    QueueCursor(DoubleUnaryOperator sharers, long now) {
        DoubleUnaryOperator share = share(sharers);
        this.backUntil = new AtomicLong(now);
        this.front = new CostBudget(share, now);
        this.nothing = new CostBudget(share, now);
        this.back = List.of(
                new LookBack(Duration.ofMinutes(1), new CostBudget(share, now)),
                new LookBack(Duration.ofSeconds(2), new CostBudget(share, now)));
    }

    /** A job of this rank became ready. Any thread. */
    void urgent(int rank) {
        urgent.add(rank);
    }

    /** Jobs went back to their place, which may lie before the last job claimed. Any thread. */
    void jobsBack(long now) {
        backUntil.set(now + BACK_MATTERS.toNanos());
    }

    private boolean backMatters(long now) {
        return backUntil.get() - now > 0;
    }

    /** How long until a look from the front may come; zero: now. */
    private long frontIn(long now) {
        long wait = front.allowedIn(now);
        return backMatters(now) ? Math.min(wait, front.allowedIn(now, SHARE)) : wait;
    }

    /** Where to look now. */
    QueueRange next(long now) {
        if (lookedRank != null) {
            urgent.add(lookedRank); // its claim failed, or was refused its turn
            lookedRank = null;
        }
        if (frontIn(now) == 0) {
            look = Look.FRONT;
            urgent.clear();
            backBefore = backUntil.get();
            return QueueRange.ALL;
        }
        QueuePosition ahead = behind != null ? behind.from : position;
        urgent.tailSet(ahead.rank()).clear(); // those lie ahead anyway
        Integer rank = urgent.isEmpty() ? null : urgent.first();
        // Where jobs of such ranks become ready all the time, nobody would ever look back.
        if (rank != null && urgentInARow >= URGENT_IN_A_ROW && behind == null) {
            urgentInARow = 0;
            QueueRange earlier = lookBack(now);
            if (earlier != null) {
                return earlier;
            }
        }
        if (rank != null) {
            look = Look.URGENT;
            urgentInARow++;
            lookedRank = rank;
            urgent.remove(rank); // now: what becomes ready while the claim is under way calls for another look
            QueuePosition last = reached.get(rank);
            return last == null ? QueueRange.ofRank(rank) : QueueRange.ofRankFrom(last);
        }
        if (behind != null) {
            look = Look.BEHIND;
            return QueueRange.from(behind.from);
        }
        QueueRange earlier = lookBack(now);
        if (earlier != null) {
            return earlier;
        }
        look = Look.ON;
        return caughtUp ? QueueRange.from(position.earlier(OVERLAP)) : QueueRange.fromOrFurther(position);
    }

    private @Nullable QueueRange lookBack(long now) {
        if (!frontIsFar(now)) {
            return null;
        }
        for (int i = 0; i < back.size(); i++) {
            if (back.get(i).allowed(now)) {
                look = Look.BACK;
                lookedBack = i;
                return lookBack(back.get(i).by);
            }
        }
        return null;
    }

    /** In the rank where the most happens: a job of low priority that is claimed in between must not draw it away. */
    private QueueRange lookBack(Duration by) {
        Integer rank = active.most();
        QueuePosition last = rank == null ? null : reached.get(rank);
        return last == null || last.rank() == position.rank()
                ? QueueRange.from(position.earlier(by))
                : QueueRange.ofRankFrom(last.earlier(by));
    }

    /**
     * Learns what came of a claim.
     *
     * @param last the last job claimed; null if there was none
     * @param full whether as many came as were asked for
     * @param took how long its statement took: what it cost the server
     */
    void claimed(@Nullable QueuePosition last, boolean full, Duration took, long now) {
        QueuePosition more = full && last != null && last.compareTo(position) < 0 ? last : null;
        if (last != null) {
            reached.merge(last.rank(), last, QueueCursor::further);
            position = further(position, last);
            active.claimed(last.rank());
        } else {
            nothing.took(took, now);
        }
        if (look == Look.URGENT && full && lookedRank != null) {
            urgent.add(lookedRank);
        }
        lookedRank = null;
        if (look != Look.URGENT) {
            caughtUp = !full;
        }
        switch (look) {
            case FRONT -> {
                front.took(took, now);
                backUntil.compareAndSet(backBefore, now); // unless more went back while the claim was under way
                behind = more == null ? null : new Behind(more, front, took);
                back.forEach(one -> one.due = false);
            }
            case BACK -> {
                CostBudget budget = back.get(lookedBack).budget;
                budget.took(took, now);
                behind = more == null ? null : new Behind(more, budget, took);
                back.subList(lookedBack, back.size()).forEach(one -> one.due = false); // it covers the nearer ones
            }
            case BEHIND -> behind = goneOn(behind, more, took, now);
            default -> back.forEach(one -> one.due = true);
        }
    }

    /** Its last claim may have walked over dead entries, the others before it only over jobs: they need no budget. */
    private static @Nullable Behind goneOn(
            @Nullable Behind before, @Nullable QueuePosition more, Duration took, long now) {
        if (before == null) {
            return null;
        }
        if (more == null) {
            before.budget.took(before.took.plus(took), now);
            return null;
        }
        return new Behind(more, before.budget, before.took);
    }

    /** How long until there is somewhere else to look though nothing new arrives; zero: at once. */
    Duration untilNextLook(long now) {
        if (look == Look.URGENT || !urgent.headSet(position.rank()).isEmpty()) {
            return Duration.ZERO;
        }
        long wait = frontIn(now);
        if (frontIsFar(now)) {
            for (LookBack one : back) {
                wait = one.due ? Math.min(wait, one.budget.allowedIn(now)) : wait;
            }
        }
        return Duration.ofNanos(wait);
    }

    private boolean frontIsFar(long now) {
        return front.allowedIn(now) > SOON.toNanos() && front.apart(SHARE).compareTo(SOON) > 0;
    }

    /** How long a poll must wait, if nobody calls for a look before. */
    Duration untilNextPoll(long now) {
        long wait = nothing.allowedIn(now);
        return Duration.ofNanos(backMatters(now) ? Math.min(wait, frontIn(now)) : wait);
    }

    /** Whether the last look was from the front: then there was nothing more anywhere. */
    boolean lookedFromFront() {
        return look == Look.FRONT;
    }

    private static QueuePosition further(QueuePosition a, QueuePosition b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /**
     * A look that found more before the cursor than it could take.
     *
     * @param from the last job taken
     * @param budget what pays for it
     * @param took how long its first claim took
     */
    private record Behind(QueuePosition from, CostBudget budget, Duration took) {}

    /** A look from some time before the last job; due when jobs may have been passed over since the last. */
    private static final class LookBack {

        private final Duration by;
        private final CostBudget budget;
        private boolean due;

        LookBack(Duration by, CostBudget budget) {
            this.by = by;
            this.budget = budget;
        }

        boolean allowed(long now) {
            return due && budget.allowedIn(now) == 0;
        }
    }
}
