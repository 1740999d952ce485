package dev.rowlock.queue.internal.wake;

import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Collects wake-ups to send once a transaction has committed. Used by one thread at a time. */
public final class Wakes {

    private static final String ANY_KEY = ""; // a key has one character at least

    private final Map<String, Ready> ready = new HashMap<>(); // by queue
    private final Map<String, Set<String>> keys =
            new HashMap<>(); // by queue; of many in one queue nobody need know which they are
    private @Nullable Duration shortestDelay;
    private long begun = System.nanoTime(); // before the first job was inserted, but for a moment; monotonic
    private boolean attention;
    private @Nullable String lastQueue;
    private Ready last = new Ready();

    public void add(NewJob job) {
        Due due = job.due();
        if (due == null) {
            runnable(job);
        } else {
            // For an instant, only the dispatcher can say how far away it is: it reads the database's clock.
            waiting(due.after() != null ? due.after() : Duration.ZERO);
        }
    }

    /** A job became runnable, whatever due time it asks for. */
    public void runnable(NewJob job) {
        if (job.key() == null) {
            ready(job.queue(), job.rank());
        } else {
            keys(job.queue(), job.key());
        }
    }

    /** A job of this queue became runnable. */
    public void ready(String queue, int rank) {
        ready(queue, rank, 1, false);
    }

    /** A job of this queue stands at a place that claims may have passed. */
    public void back(String queue, int rank) {
        ready(queue, rank, 1, true);
    }

    /** Most batches are of one queue: the last one is remembered. */
    void ready(String queue, int rank, long jobs, boolean back) {
        if (!queue.equals(lastQueue)) {
            last = ready.computeIfAbsent(queue, name -> new Ready());
            lastQueue = queue;
        }
        last.mostUrgentRank = Math.min(last.mostUrgentRank, rank);
        last.jobs += jobs;
        last.back |= back;
    }

    /** There are jobs with keys in this queue, or there is room for one. */
    public void keys(String queue) {
        keys(queue, null);
    }

    /** The same of this key; null: nobody knows of which. */
    public void keys(String queue, @Nullable String key) {
        Set<String> some = keys.computeIfAbsent(queue, name -> new LinkedHashSet<>());
        if (some.size() <= ReadyJobs.MOST_KEYS) {
            some.add(key == null ? ANY_KEY : key);
        }
    }

    public void waiting(Duration delay) {
        if (shortestDelay == null || delay.compareTo(shortestDelay) < 0) {
            shortestDelay = delay;
        }
    }

    /** A job waits for the end of another one. */
    public void attention() {
        attention = true;
    }

    public void addAll(Wakes other) {
        attention |= other.attention;
        other.ready.forEach((queue, more) -> ready(queue, more.mostUrgentRank, more.jobs, more.back));
        other.keys.forEach((queue, some) -> some.forEach(key -> keys(queue, key)));
        begun = other.begun - begun < 0 ? other.begun : begun;
        if (other.shortestDelay != null) {
            waiting(other.shortestDelay);
        }
    }

    /** Delays have begun when their jobs were inserted; a transaction may have gone on for long since. */
    public void send(Wakeups wakeups) {
        Duration since = Duration.ofNanos(System.nanoTime() - begun);
        ready.forEach((queue, some) -> {
            if (some.back) {
                wakeups.jobsBack(queue, some.mostUrgentRank, some.jobs);
            } else {
                wakeups.jobsReady(queue, some.mostUrgentRank, some.jobs);
            }
        });
        eachKey(wakeups::keysReady);
        if (shortestDelay != null) {
            wakeups.jobsWaiting(shortestDelay.compareTo(since) > 0 ? shortestDelay.minus(since) : Duration.ZERO);
        }
        if (attention) {
            wakeups.attention();
        }
    }

    /** Whether there is nothing to send. */
    boolean isEmpty() {
        return ready.isEmpty() && keys.isEmpty() && shortestDelay == null && !attention;
    }

    boolean needsAttention() {
        return attention;
    }

    void eachQueue(BiConsumer<String, Ready> told) {
        ready.forEach(told);
    }

    /** Each queue with each of its keys, or once with null. */
    void eachKey(BiConsumer<String, @Nullable String> told) {
        keys.forEach((queue, some) -> {
            if (some.size() > ReadyJobs.MOST_KEYS || some.contains(ANY_KEY)) {
                told.accept(queue, null);
            } else {
                some.forEach(key -> told.accept(queue, key));
            }
        });
    }

    /** Jobs of one queue. */
    static final class Ready {

        private int mostUrgentRank = Integer.MAX_VALUE;
        private long jobs;
        private boolean back; // some of them went back to their place

        /** As others hear of them. */
        String message(String origin, String queue, int first) {
            return back
                    ? WakeupMessage.back(origin, queue, mostUrgentRank, jobs, first)
                    : WakeupMessage.ready(origin, queue, mostUrgentRank, jobs, first);
        }
    }
}
