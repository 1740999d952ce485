package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.store.result.FindEndedJobs;
import dev.rowlock.queue.internal.store.result.FindEndedJobs.Ended;
import dev.rowlock.queue.internal.thread.EndlessTask;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All jobs that somebody in this process waits for. One thread asks for all of them; it starts with the first. */
final class Waits implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Waits.class);

    /** So many are asked for by one statement. */
    static final int ASKED_AT_ONCE = 1_000;

    private static final long TOGETHER = Duration.ofMillis(5).toNanos();
    private static final long PAUSE = Duration.ofMillis(2).toNanos();
    private static final int REST_PER_LOOK = 2;
    private static final long PAUSE_AFTER_FAILURE = Duration.ofSeconds(1).toNanos();

    private final FindEndedJobs find;
    private final long shortest;
    private final Consumer<long[]> announce;
    private final EndlessTask looking = new EndlessTask("rowlock-results", this::run);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Long, Wait> waits = new HashMap<>(); // guarded by lock
    private @Nullable Thread thread; // guarded by lock
    private boolean closed; // guarded by lock
    private volatile boolean any; // written under the lock
    private boolean failing; // the looking thread only

    /**
     * @param shortest rest before a job is asked for again
     * @param announce told which jobs are waited for and have not ended
     */
    Waits(FindEndedJobs find, Duration shortest, Consumer<long[]> announce) {
        this.shortest = shortest.toNanos();
        this.find = find;
        this.announce = announce;
    }

    /** Completes when the job has ended or is nowhere. Whoever does not wait any more {@linkplain #leave leaves}. */
    CompletableFuture<Ended> await(long id) {
        CompletableFuture<Ended> end = new CompletableFuture<>();
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("this Rowlock is closed: nobody can wait for jobs");
            }
            Wait wait = waits.computeIfAbsent(id, job -> new Wait(System.nanoTime(), shortest));
            wait.waiting.add(end);
            wait.lookAt(System.nanoTime());
            any = true;
            if (thread == null) {
                Thread fresh = looking.thread();
                fresh.start();
                thread = fresh;
            }
            changed.signal();
        } finally {
            lock.unlock();
        }
        return end;
    }

    void leave(long id, CompletableFuture<Ended> end) {
        lock.lock();
        try {
            Wait wait = waits.get(id);
            if (wait != null && wait.waiting.remove(end) && wait.waiting.isEmpty()) {
                waits.remove(id);
                any = !waits.isEmpty();
            }
        } finally {
            lock.unlock();
        }
    }

    /** How many jobs are waited for. */
    int size() {
        lock.lock();
        try {
            return waits.size();
        } finally {
            lock.unlock();
        }
    }

    /** Somebody says that this job has ended. */
    void ended(long id) {
        if (!any) {
            return;
        }
        lock.lock();
        try {
            Wait wait = waits.get(id);
            if (wait != null) {
                wait.lookAt(System.nanoTime());
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (true) {
                long[] due = due();
                if (due.length == 0) {
                    return;
                }
                long begun = System.nanoTime();
                look(due);
                TimeUnit.NANOSECONDS.sleep(Math.max(PAUSE, REST_PER_LOOK * (System.nanoTime() - begun)));
            }
        } catch (InterruptedException e) {
            log.debug("interrupted; looks whether it is closed", e);
        }
    }

    /** Waits for jobs that are to be asked for. Empty: closed. */
    private long[] due() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed) {
                long now = System.nanoTime();
                long left = Long.MAX_VALUE;
                for (Wait wait : waits.values()) {
                    left = Math.min(left, wait.nextLook() - now);
                }
                if (left <= 0) {
                    List<Map.Entry<Long, Wait>> due = waits.entrySet().stream()
                            .filter(wait -> wait.getValue().nextLook() - now <= TOGETHER)
                            .limit(ASKED_AT_ONCE)
                            .toList();
                    due.forEach(wait -> wait.getValue().asked());
                    return due.stream().mapToLong(Map.Entry::getKey).toArray();
                }
                changed.awaitNanos(left);
            }
            return new long[0];
        } finally {
            lock.unlock();
        }
    }

    private void look(long[] ids) {
        List<Ended> found;
        try {
            found = find.run(ids);
            failing = false;
        } catch (RuntimeException e) {
            boolean first = !failing;
            failing = true;
            if (first) {
                log.warn("the database cannot be asked whether jobs have ended; those who wait go on waiting", e);
            }
            each(ids, wait -> wait.lookAt(System.nanoTime() + PAUSE_AFTER_FAILURE));
            return;
        }
        note(ids, found);
    }

    /** What somebody said while the statement was under way may be newer than its answer. */
    private void note(long[] ids, List<Ended> found) {
        Map<CompletableFuture<Ended>, Ended> over = new HashMap<>();
        Set<Long> announced = new HashSet<>();
        lock.lock();
        try {
            long now = System.nanoTime();
            Set<Long> answered = new HashSet<>();
            for (Ended ended : found) {
                answered.add(ended.id());
                Wait wait = waits.get(ended.id());
                if (wait != null && (ended.state() != null || wait.nowhere(now))) {
                    wait.waiting.forEach(end -> over.put(end, ended));
                    waits.remove(ended.id());
                }
            }
            boolean all = found.size() < FindEndedJobs.LIMIT;
            for (long id : ids) {
                Wait wait = waits.get(id);
                if (all && wait != null && !answered.contains(id) && wait.answerCounts()) {
                    wait.lives(now);
                    if (wait.announce(now)) {
                        announced.add(id);
                    }
                }
            }
            any = !waits.isEmpty();
        } finally {
            lock.unlock();
        }
        over.forEach(CompletableFuture::complete);
        if (!announced.isEmpty()) {
            announce.accept(announced.stream().mapToLong(Long::longValue).toArray());
        }
    }

    private void each(long[] ids, Consumer<Wait> change) {
        lock.lock();
        try {
            for (long id : ids) {
                Wait wait = waits.get(id);
                if (wait != null) {
                    change.accept(wait);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whoever still waits is told that nobody asks any more. */
    @Override
    public void close() {
        looking.end();
        List<CompletableFuture<Ended>> left;
        lock.lock();
        try {
            closed = true;
            left = waits.values().stream()
                    .flatMap(wait -> wait.waiting.stream())
                    .toList();
            waits.clear();
            any = false;
            changed.signal();
        } finally {
            lock.unlock();
        }
        left.forEach(end -> end.completeExceptionally(
                new IllegalStateException("this Rowlock was closed while the job was waited for")));
    }
}
