package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.Kind;
import dev.rowlock.queue.internal.run.Buffer.Share;
import dev.rowlock.queue.settings.FetchSettings;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * Limits how many jobs of each kind a queue may hold: one for each of its threads, or a chunk, and ahead of them no more than the threads will start
 * within a horizon, by the measured time of its handlers. Slow handlers prefetch nothing, fast ones
 * hundreds. A handler that already runs longer than they usually do counts at once, before it ends: its thread is expected
 * to need as long again, and as long for each job after it.
 *
 * <p>Where both kinds have jobs, each counts on its {@linkplain KindShares share} of the threads alone.
 */
final class PrefetchLimit {

    /** The weight of the newest measurement. */
    private static final double NEWEST = 0.3;

    /** So long a node that has given back jobs claims none ahead: others shall have them, and its guess was wrong. */
    private static final Duration COURTESY = Duration.ofSeconds(1);

    private final int concurrency;
    private final FetchSettings settings;
    private final RunningHandlers handlers;
    private final Handled plain = new Handled();
    private final Handled keyed = new Handled();
    private volatile long noneAheadUntil = System.nanoTime(); // written by whoever gives back jobs

    /** What is known of the jobs of one kind. */
    private static final class Handled {

        private final LongAdder nanos = new LongAdder();
        private final LongAdder jobs = new LongAdder();
        private double average; // written by one thread at a time; 0: nothing measured yet

        void measure() {
            long count = jobs.sumThenReset();
            long sum = nanos.sumThenReset();
            if (count > 0) {
                double newest = Math.max(1.0, (double) sum / count);
                average = average == 0 ? newest : average + NEWEST * (newest - average);
            }
        }

        /** How many such jobs a thread begins within this time that has run one for so long. */
        double begins(double within, long elapsed) {
            if (average == 0) {
                return 0;
            }
            return elapsed <= average ? within / average : Math.max(0, within - elapsed) / elapsed;
        }
    }

    PrefetchLimit(FetchSettings settings, RunningHandlers handlers) {
        this.concurrency = handlers.threads();
        this.settings = settings;
        this.handlers = handlers;
    }

    private Handled of(Kind kind) {
        return kind == Kind.PLAIN ? plain : keyed;
    }

    /** A call has ended that ran so many jobs. Called by handler threads. */
    void handled(Kind kind, long nanos, int jobs) {
        of(kind).nanos.add(nanos);
        of(kind).jobs.add(jobs);
    }

    /** Jobs were given back that others can run: for a moment none are claimed ahead. */
    void restrain() {
        noneAheadUntil = System.nanoTime() + COURTESY.toNanos();
    }

    /**
     * How many jobs of this kind to claim now; 0 if it is not worth a claim yet. One thread at a time.
     *
     * @param horizon ahead of those that begin at once, jobs are claimed that begin within this time
     * @param begun how many are held that wait for no thread
     */
    int free(Kind kind, Duration horizon, int begun, Share share) {
        int ahead = ahead(kind, horizon, share);
        int free = atOnce(begun, share, runsOf(kind)) + ahead - share.waiting();
        return free > ahead / 2 ? free : 0; // so always, where threads are idle
    }

    /** How many of them threads would begin at once that came now. */
    private int atOnce(int begun, Share share, int runs) {
        int room = handlers.slots() - begun;
        if (share.whole()) {
            return room;
        }
        return Math.max(0, Math.min(room - share.others(), quota(share, runs) * handlers.idle()));
    }

    private int runsOf(Kind kind) {
        int runs = 0;
        for (int thread = 0; thread < concurrency; thread++) {
            runs += handlers.kind(thread) == kind ? 1 : 0;
        }
        return runs;
    }

    /** How many threads more it may have. */
    private int quota(Share share, int runs) {
        return share.whole() ? concurrency - runs : (int) Math.max(0, Math.ceil(share.threads()) - runs);
    }

    /** Where the threads are not shared: once no more than this many are held, {@link #free} is positive again. One thread at a time. */
    int lowWater(Kind kind, Duration horizon, Share share) {
        return handlers.slots() + lowWaiting(kind, horizon, share);
    }

    /** Where they are: once no more than this many wait, it may be positive again. One thread at a time. */
    int lowWaiting(Kind kind, Duration horizon, Share share) {
        int ahead = ahead(kind, horizon, share);
        return ahead - ahead / 2 - 1;
    }

    private int ahead(Kind kind, Duration horizon, Share share) {
        plain.measure();
        keyed.measure();
        long now = System.nanoTime();
        return now - noneAheadUntil < 0
                ? 0
                : (int) Math.min(settings.maxPrefetch(), startable(kind, horizon.toNanos(), share, now));
    }

    /** How many jobs the threads will start within the horizon. */
    private double startable(Kind kind, double horizon, Share share, long now) {
        Handled own = of(kind);
        double started = 0; // on threads that run such jobs
        double freed = 0; // how many threads that run others
        int runs = 0;
        int idle = 0;
        for (int thread = 0; thread < concurrency; thread++) {
            Kind runsNow = handlers.kind(thread);
            long elapsed = handlers.elapsed(thread, now);
            if (runsNow == null) {
                idle++;
            } else if (runsNow == kind) {
                runs++;
                started += own.begins(horizon, elapsed);
            } else {
                freed += Math.min(1, of(runsNow).begins(horizon, elapsed));
            }
        }
        int quota = quota(share, runs);
        double taken = Math.min(idle, quota);
        double takenLater = Math.min(freed, quota - taken);
        double each = own.begins(horizon, 0);
        return part(share, runs) * started + taken * each + takenLater * Math.max(1, each);
    }

    /** Of the threads that run such jobs, those that will go on with others; none, before the kind has more threads than its share. */
    private double part(Share share, int runs) {
        return share.whole() || runs <= share.threads()
                ? 1
                : runs > Math.ceil(share.threads()) ? 0 : share.threads() / runs;
    }
}
