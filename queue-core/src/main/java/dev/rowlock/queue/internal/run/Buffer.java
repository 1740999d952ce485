package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.Kind;
import dev.rowlock.queue.settings.FetchSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Claimed jobs of one queue that wait for a thread: those with keys and those without, each in the order of their claims. Demand bounds it. Thread-safe.
 *
 * <p>Nobody else can run what waits here. How long handlers take is known only afterwards, so now and then jobs wait behind
 * handlers that were believed to be quick. Those that would not begin soon are found by {@link #takeLate}, to be given back.
 */
public final class Buffer {

    /** A job may wait this long, or twice the prefetch horizon if that is longer, before anybody looks whether it is late. */
    private static final Duration UNTIL_LATE = Duration.ofMillis(500);

    /** A job that has waited that long is late unless it would begin within this time, at the pace of late. */
    private static final Duration SOON = Duration.ofMillis(500);

    /** A wait that nobody has ended by then is over: time for the look at late jobs, and for a suspect that was parked. */
    private static final Duration MARGIN = Duration.ofSeconds(2);

    private final long untilLate;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Line plain = new Line(); // guarded by lock, as below
    private final Line keyed = new Line();
    private final KindShares shares;
    private long lookedAt = System.nanoTime();

    Buffer(int threads, FetchSettings settings) {
        this.shares = KindShares.ofThreads(threads, System::nanoTime);
        this.untilLate = untilLate(settings).toNanos();
    }

    private static Duration untilLate(FetchSettings settings) {
        Duration horizons = settings.prefetchHorizon().multipliedBy(2);
        return horizons.compareTo(UNTIL_LATE) > 0 ? horizons : UNTIL_LATE;
    }

    /** No job begins that was claimed longer ago than this. */
    public static Duration longestWait(FetchSettings settings) {
        return untilLate(settings).plus(MARGIN);
    }

    void add(Execution execution) {
        lock.lock();
        try {
            line(Kind.of(execution.job())).waiting.add(execution);
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next job for a thread to run; null if there is none now.
     *
     * @param ended what the thread has run until now; null if it was free
     */
    @Nullable
    Execution poll(@Nullable Kind ended) {
        lock.lock();
        try {
            if (ended != null) {
                shares.end(ended);
            }
            return next();
        } finally {
            lock.unlock();
        }
    }

    /** The next job for a free thread to run; null if none has come in this time. */
    @Nullable
    Execution await(Duration longest) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = longest.toNanos();
            while (plain.waiting.isEmpty() && keyed.waiting.isEmpty() && left > 0) {
                left = arrived.awaitNanos(left);
            }
            return next();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Execution next() {
        Kind kind = keyed.waiting.isEmpty() ? Kind.PLAIN : plain.waiting.isEmpty() ? Kind.KEYED : shares.behind();
        Execution next = line(kind).begin();
        if (next != null) {
            shares.begin(kind);
        }
        return next;
    }

    private Line line(Kind kind) {
        return kind == Kind.PLAIN ? plain : keyed;
    }

    /** Says whether jobs of both kinds wait to be claimed. Returns whether they did until now, and do so no longer. */
    boolean contended(boolean both) {
        return locked(() -> {
            boolean over = shares.contended() && !both;
            shares.contended(both);
            return over;
        });
    }

    /** The kind that has had less than its share of the threads. */
    Kind behind() {
        return locked(shares::behind);
    }

    /** What a kind may have. */
    Share share(Kind kind) {
        return locked(() -> {
            int others = line(kind.other()).waiting.size();
            boolean whole = others == 0 && !shares.contended();
            return new Share(line(kind).waiting.size(), others, whole, shares.share(kind));
        });
    }

    /**
     * What one kind of jobs has here, and may have.
     *
     * @param waiting how many of them wait
     * @param others how many of the other kind
     * @param whole whether there is nobody to share the threads with
     * @param threads otherwise it may have so many
     */
    record Share(int waiting, int others, boolean whole, double threads) {}

    /** How many jobs of this kind wait. */
    int size(Kind kind) {
        lock.lock();
        try {
            return line(kind).waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /** How many wait. What comes meanwhile may be left out. */
    int size() {
        return size(Kind.PLAIN) + size(Kind.KEYED);
    }

    /** Takes out the first of those that are wanted, up to so many, for a thread to run: as many of each kind as there are of the other. */
    List<Execution> take(Predicate<Execution> wanted, int most) {
        return locked(() -> {
            List<Execution> taken = new ArrayList<>();
            plain.begin(wanted, taken, (most + 1) / 2);
            keyed.begin(wanted, taken, most);
            plain.begin(wanted, taken, most);
            return taken;
        });
    }

    /** Takes out all of them. */
    List<Execution> takeAll() {
        return locked(() -> {
            List<Execution> all = new ArrayList<>(plain.waiting);
            all.addAll(keyed.waiting);
            plain.waiting.clear();
            keyed.waiting.clear();
            return all;
        });
    }

    /** Takes out those that would not begin soon. To be called several times a second. */
    List<Execution> takeLate(long now) {
        return locked(() -> {
            long since = Math.max(1, now - lookedAt);
            lookedAt = now;
            List<Execution> late = new ArrayList<>(plain.takeLate(now, since, untilLate));
            late.addAll(keyed.takeLate(now, since, untilLate));
            return late;
        });
    }

    /** For what is not done for each job. */
    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** The jobs of one kind. */
    private static final class Line {

        private final Deque<Execution> waiting = new ArrayDeque<>();
        private long begun; // since the last look for late ones

        @Nullable
        Execution begin() {
            begun += waiting.isEmpty() ? 0 : 1;
            return waiting.poll();
        }

        void begin(Predicate<Execution> wanted, List<Execution> taken, int most) {
            int before = taken.size();
            waiting.removeIf(execution -> taken.size() < most && wanted.test(execution) && taken.add(execution));
            begun += taken.size() - before;
        }

        List<Execution> takeLate(long now, long since, long untilLate) {
            double beginSoon = (double) begun / since * SOON.toNanos();
            begun = 0;
            Execution first = waiting.peek();
            if (first == null || now - first.claimedNanos() < untilLate) {
                return List.of();
            }
            List<Execution> late = new ArrayList<>();
            int[] ahead = {0};
            waiting.removeIf(execution -> ahead[0]++ >= beginSoon && late.add(execution));
            return late;
        }
    }
}
