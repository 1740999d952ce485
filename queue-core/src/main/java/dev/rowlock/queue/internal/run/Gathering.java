package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.spi.Chunking;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers the chunks of one listener, one after the other: while a thread gathers, others that take a job of the listener hand
 * it over. So chunks are as full as they can be, and few jobs do not keep many threads. Thread-safe.
 */
public final class Gathering {

    private static final Logger log = LoggerFactory.getLogger(Gathering.class);

    /** More jobs in the hands of one queue of one node are a slip of units. */
    private static final long MOST_JOBS = 1_000_000;

    /** So often whoever lingers looks whether its jobs should have gone back. */
    private static final Duration LOOK = Duration.ofMillis(100);

    private final ListenerDefinition listener;
    private final Workplace place;
    private final Set<String> types;
    private final int batch;
    private final Duration linger;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable List<Execution> open; // guarded by lock; as long as a thread gathers

    Gathering(ListenerDefinition listener, Workplace place) {
        Chunking chunking = Objects.requireNonNull(listener.chunking());
        this.listener = listener;
        this.place = place;
        this.types = Set.copyOf(listener.types());
        this.batch = chunking.batch();
        this.linger = chunking.linger();
    }

    /**
     * How many jobs to claim for a thread of a queue with these listeners that has none.
     *
     * @throws IllegalArgumentException if its threads would hold too many jobs
     */
    static int idle(String queue, int concurrency, List<ListenerDefinition> listeners) {
        ListenerDefinition largest = Collections.max(listeners, Comparator.comparingInt(Gathering::most));
        if ((long) concurrency * most(largest) > MOST_JOBS) {
            throw new IllegalArgumentException(
                    "queue '%s': %d threads with %d jobs each would hold more than %d jobs at once: lower its concurrency, or the batch of %s"
                            .formatted(queue, concurrency, most(largest), MOST_JOBS, largest.name()));
        }
        // A thread of a queue that has plain listeners too may get a plain job: until it knows, one is claimed for it.
        return listeners.stream().allMatch(listener -> listener.chunking() != null) ? most(largest) : 1;
    }

    private static int most(ListenerDefinition listener) {
        return listener.chunking() == null ? 1 : listener.chunking().batch();
    }

    /** How long a job waits for company at the longest, on this node. */
    public static Duration longestLinger(List<ListenerDefinition> listeners) {
        return listeners.stream()
                .map(ListenerDefinition::chunking)
                .filter(Objects::nonNull)
                .map(Chunking::linger)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    ListenerDefinition listener() {
        return listener;
    }

    /** Returns what the calling thread is to run, in the order of the queue: nothing if another thread has the job now, or it was given back. */
    List<Execution> gather(int thread, Execution first) {
        List<Execution> mine = new ArrayList<>();
        lock.lock();
        try {
            if (open != null && open.size() < batch) {
                open.add(first);
                changed.signalAll();
                return List.of();
            }
            mine.add(first);
            open = mine;
        } finally {
            lock.unlock();
        }
        try {
            place.gather(thread, batch);
            fill(mine);
            mine.removeIf(execution -> !place.admits(execution, linger)); // the node may have been frozen meanwhile
        } catch (RuntimeException | Error e) {
            abandon(mine, e);
            throw e;
        }
        // Threads that hand over jobs overtake each other; tokens come in the order of the claim.
        mine.sort(Comparator.comparingLong(execution -> execution.job().claim().token()));
        return mine;
    }

    /** No job must stay in our hands, nor wait for a chunk that nobody makes. */
    private void abandon(List<Execution> mine, Throwable failure) {
        lock.lock();
        try {
            if (open == mine) {
                open = null;
            }
        } finally {
            lock.unlock();
        }
        putAside(mine, failure); // nobody else adds to them any more
    }

    private void putAside(List<Execution> jobs, Throwable failure) {
        for (Execution execution : jobs) {
            try {
                place.settle(execution, JobRuns.ASIDE, Duration.ZERO);
            } catch (RuntimeException | Error e) {
                failure.addSuppressed(e);
            }
        }
    }

    private void fill(List<Execution> mine) {
        long end = System.nanoTime() + linger.toNanos();
        lock.lock();
        try {
            long left = linger.toNanos();
            while (!mine.isEmpty() && mine.size() < batch) { // empty: it was given back
                take(mine);
                left = end - System.nanoTime();
                if (mine.size() >= batch || left <= 0) {
                    return;
                }
                if (!giveBack(mine)) {
                    changed.awaitNanos(Math.min(left, LOOK.toNanos()));
                }
            }
        } catch (InterruptedException e) {
            // Meant for an earlier job, or the node stops: then this begins with what there is, and is told so.
            log.debug("interrupted while gathering", e);
        } finally {
            if (open == mine) {
                open = null;
            }
            lock.unlock();
        }
    }

    private void take(List<Execution> mine) {
        List<Execution> taken = place.take(this::ours, batch - mine.size());
        for (int i = 0; i < taken.size(); i++) {
            try {
                if (place.admits(taken.get(i), Duration.ZERO)) {
                    mine.add(taken.get(i));
                }
            } catch (RuntimeException | Error e) {
                putAside(taken.subList(i, taken.size()), e);
                throw e;
            }
        }
    }

    /** The queue was paused, or the node began to stop, before anybody could see that they are gathered here. */
    private boolean giveBack(List<Execution> mine) {
        List<Execution> late = mine.stream().filter(place::overlooked).toList();
        late.forEach(execution -> place.settle(execution, JobRuns.RELEASED, Duration.ZERO));
        return mine.removeAll(late);
    }

    private boolean ours(Execution execution) {
        return types.contains(execution.job().type())
                && !Headers.alone(execution.job().headers());
    }

    /** There may be more to gather. */
    void look() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Takes out what a thread has gathered and not begun. */
    List<Execution> takeAll() {
        lock.lock();
        try {
            if (open == null) {
                return List.of();
            }
            List<Execution> all = List.copyOf(open);
            open.clear();
            open = null;
            changed.signalAll();
            return all;
        } finally {
            lock.unlock();
        }
    }
}
