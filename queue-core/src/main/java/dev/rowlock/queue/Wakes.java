package dev.rowlock.queue;

import dev.rowlock.queue.internal.store.NewJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What workers should hear once a transaction has committed. Confined to one thread. */
final class Wakes {

    private final Map<String, Integer> mostUrgentRanks = new HashMap<>();
    private @Nullable Duration shortestDelay;
    private @Nullable String lastQueue;
    private int lastRank;

    void add(NewJob job) {
        Due due = job.due();
        if (due == null) {
            ready(job.queue(), job.rank());
            return;
        }
        // For an instant, only the dispatcher can say how far away it is: it reads the database's clock.
        waiting(due.after() != null ? due.after() : Duration.ZERO);
    }

    /** Most batches are of one queue and rank: the last one is remembered. */
    private void ready(String queue, int rank) {
        if (rank != lastRank || !queue.equals(lastQueue)) {
            mostUrgentRanks.merge(queue, rank, Math::min);
            lastQueue = queue;
            lastRank = rank;
        }
    }

    void waiting(Duration delay) {
        if (shortestDelay == null || delay.compareTo(shortestDelay) < 0) {
            shortestDelay = delay;
        }
    }

    void addAll(Wakes other) {
        other.mostUrgentRanks.forEach((queue, rank) -> mostUrgentRanks.merge(queue, rank, Math::min));
        if (other.shortestDelay != null) {
            waiting(other.shortestDelay);
        }
    }

    void send(Wakeups wakeups) {
        mostUrgentRanks.forEach(wakeups::jobsReady);
        if (shortestDelay != null) {
            wakeups.jobsWaiting(shortestDelay);
        }
    }
}
