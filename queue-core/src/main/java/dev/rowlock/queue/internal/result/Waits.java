package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.result.AwaitedJobStatements.Ended;
import dev.rowlock.queue.internal.result.AwaitedJobStatements.Found;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All awaited jobs of this process, and awaited workflows by their negated ids. One thread checks all of them; it starts with the first. */
final class Waits implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Waits.class);

    /** So many are asked for by one statement. */
    static final int ASKED_AT_ONCE = 1_000;

    private static final long PAUSE_AFTER_FAILURE = Duration.ofSeconds(1).toNanos();

    private final Function<long[], Found> find;
    private final long shortest;
    private final Consumer<long[]> announce;
    private final EndlessTask looking = new EndlessTask("rowlock-results", this::run);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Long, Wait> waits = new HashMap<>(); // guarded by lock
    private final LookOrder order = new LookOrder(ASKED_AT_ONCE); // guarded by lock; all of waits
    private final LookRate rate = new LookRate(ASKED_AT_ONCE); // the looking thread only
    private @Nullable Thread thread; // guarded by lock
    private boolean closed; // guarded by lock
    private volatile boolean any; // written under the lock
    private boolean failing; // the looking thread only

    /**
     * @param find as {@link AwaitedJobStatements}: those that do not live
     * @param shortest rest before a job is asked for again
     * @param announce told which jobs are waited for and have not ended
     */
    Waits(Function<long[], Found> find, Duration shortest, Consumer<long[]> announce) {
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
            long now = System.nanoTime();
            Wait wait = waits.get(id);
            if (wait == null) {
                wait = new Wait(id, now, shortest);
                waits.put(id, wait);
                order.plan(wait, now);
            } else {
                order.hurry(wait, now);
            }
            wait.join(end);
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

    void leave(long id, CompletableFuture<?> end) {
        lock.lock();
        try {
            Wait wait = waits.get(id);
            if (wait != null && wait.leave(end)) {
                waits.remove(id);
                order.remove(wait);
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
                wait.newer();
                order.hear(wait);
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
                TimeUnit.NANOSECONDS.sleep(look(due));
            }
        } catch (InterruptedException e) {
            log.debug("interrupted; checking for the stop", e);
        }
    }

    /** Waits for jobs that are to be asked for. Empty: closed. */
    private long[] due() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed) {
                long now = System.nanoTime();
                long left = order.left(now);
                if (left <= 0) {
                    List<Wait> due = order.next(now);
                    due.forEach(Wait::asked);
                    return due.stream().mapToLong(Wait::id).toArray();
                }
                changed.awaitNanos(left);
            }
            return new long[0];
        } finally {
            lock.unlock();
        }
    }

    /** Returns the nanos to rest after it. */
    private long look(long[] ids) {
        long begun = System.nanoTime();
        Found found;
        try {
            found = find.apply(ids);
            failing = false;
        } catch (RuntimeException | Error e) {
            boolean first = !failing;
            failing = true;
            postpone(ids);
            if (first) {
                log.warn("checking whether awaited jobs have ended failed; will retry, callers keep waiting", e);
            }
            return PAUSE_AFTER_FAILURE;
        }
        long rest = rate.rest(System.nanoTime() - begun, found.all());
        note(ids, found.ended(), found.all());
        return rest;
    }

    /** What somebody said while the statement was under way may be newer than its answer, and so may be what those know who began to wait meanwhile. */
    private void note(long[] ids, List<Ended> found, boolean all) {
        Map<CompletableFuture<Ended>, Ended> over = new HashMap<>();
        Set<Long> announced = new HashSet<>();
        lock.lock();
        try {
            long now = System.nanoTime();
            Set<Long> answered = new HashSet<>();
            for (Ended ended : found) {
                answered.add(ended.id());
                Wait wait = waits.get(ended.id());
                if (wait == null) {
                    continue;
                }
                if (ended.state() != null || wait.nowhere()) {
                    wait.answered().forEach(end -> over.put(end, ended));
                    if (wait.hasNewcomers()) {
                        order.again(wait, now);
                    } else {
                        waits.remove(ended.id());
                        order.remove(wait);
                    }
                } else {
                    order.plan(wait, now + Wait.SOON);
                }
            }
            long atLeast = rate.interval(waits.size());
            for (long id : ids) {
                Wait wait = waits.get(id);
                if (!all || wait == null || answered.contains(id)) {
                    continue;
                }
                if (wait.answerCounts()) {
                    order.plan(wait, wait.lives(now, atLeast));
                    if (wait.announce(now)) {
                        announced.add(id);
                    }
                } else {
                    order.again(wait, now);
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

    /** Others come first: should it be these jobs that cannot be asked for, they are in nobody's way. */
    private void postpone(long[] ids) {
        lock.lock();
        try {
            long now = System.nanoTime();
            for (long id : ids) {
                Wait wait = waits.get(id);
                if (wait != null) {
                    order.again(wait, now);
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
            left = waits.values().stream().flatMap(wait -> wait.all().stream()).toList();
            waits.clear();
            order.clear();
            any = false;
            changed.signal();
        } finally {
            lock.unlock();
        }
        left.forEach(end -> end.completeExceptionally(
                new IllegalStateException("this Rowlock was closed while it was waited for")));
    }
}
