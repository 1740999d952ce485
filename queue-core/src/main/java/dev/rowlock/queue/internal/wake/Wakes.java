package dev.rowlock.queue.internal.wake;

import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects wake-ups to send once a transaction has committed. Confined to one thread. */
public final class Wakes {

    private final Map<String, Ready> ready = new HashMap<>();
    private final Map<String, Integer> back = new HashMap<>(); // the most urgent rank by queue
    private final ReadyKeys keys = new ReadyKeys();
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
            ready(job.queue()).add(job.rank(), 1);
        } else {
            keys(job.queue(), job.key());
        }
    }

    /** A job of this queue became runnable. */
    public void ready(String queue, int rank) {
        ready(queue).add(rank, 1);
    }

    /** A job of this queue stands at a place that claims may have passed. */
    public void back(String queue, int rank) {
        back.merge(queue, rank, Math::min);
    }

    /** There are jobs with keys in this queue, or there is room for one. */
    public void keys(String queue) {
        keys(queue, null);
    }

    /** The same of this key; null: nobody knows of which. */
    public void keys(String queue, @Nullable String key) {
        keys.add(queue, key);
    }

    /** Most batches are of one queue: the last one is remembered. */
    private Ready ready(String queue) {
        if (!queue.equals(lastQueue)) {
            last = ready.computeIfAbsent(queue, name -> new Ready());
            lastQueue = queue;
        }
        return last;
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
        other.ready.forEach((queue, more) -> ready(queue).add(more.mostUrgentRank, more.jobs));
        other.back.forEach(this::back);
        keys.addAll(other.keys);
        begun = other.begun - begun < 0 ? other.begun : begun;
        if (other.shortestDelay != null) {
            waiting(other.shortestDelay);
        }
    }

    /** Delays have begun when their jobs were inserted; a transaction may have gone on for long since. */
    public void send(Wakeups wakeups) {
        Duration since = Duration.ofNanos(System.nanoTime() - begun);
        ready.forEach((queue, some) -> wakeups.jobsReady(queue, some.mostUrgentRank, some.jobs));
        back.forEach((queue, rank) -> wakeups.jobsBack(queue, rank, 1));
        keys.forEach(wakeups::keysReady);
        if (shortestDelay != null) {
            wakeups.jobsWaiting(shortestDelay.compareTo(since) > 0 ? shortestDelay.minus(since) : Duration.ZERO);
        }
        if (attention) {
            wakeups.attention();
        }
    }

    /** Jobs of one queue. */
    private static final class Ready {

        private int mostUrgentRank = Integer.MAX_VALUE;
        private long jobs;

        void add(int rank, long more) {
            mostUrgentRank = Math.min(mostUrgentRank, rank);
            jobs += more;
        }
    }
}
