package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.result.AwaitedJobStatements.Ended;
import dev.rowlock.queue.internal.result.AwaitedJobStatements.Found;
import dev.rowlock.queue.internal.thread.EndlessTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All awaited jobs of this process, and awaited workflows by their negated ids. One thread checks all of them; it starts with the first. A job is due
 * again the later, the longer it is waited for, and at once when this process hears that it has ended. Of those that are due, the thread checks those
 * first that are due longest, so no wait is starved.
 */
final class Waits implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Waits.class);

    /** So many are asked for by one statement. */
    static final int ASKED_AT_ONCE = 1_000;

    /** What is due this soon is asked for with what is due now. */
    private static final long TOGETHER = Duration.ofMillis(5).toNanos();

    /** The thread rests after a look for so many times as long as that took, but at least and at most so long: looks cost the database little. */
    private static final int REST_PER_LOOK = 2;

    private static final long SHORTEST_REST = Duration.ofMillis(2).toNanos();
    private static final long LONGEST_REST = Duration.ofSeconds(1).toNanos();

    private static final long PAUSE_AFTER_FAILURE = Duration.ofSeconds(1).toNanos();

    private final Function<long[], Found> find;
    private final long shortest;
    private final EndlessTask looking = new EndlessTask("rowlock-results", this::run);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Long, Wait> waits = new HashMap<>(); // guarded by lock
    private final Set<Long> told = new LinkedHashSet<>(); // guarded by lock; of waits, whose end this process has seen
    private @Nullable Thread thread; // guarded by lock
    private boolean closed; // guarded by lock
    private volatile boolean any; // written under the lock
    private boolean failing; // the looking thread only

    /**
     * @param find as {@link AwaitedJobStatements}: those that do not live
     * @param shortest rest before a job is asked for again
     */
    Waits(Function<long[], Found> find, Duration shortest) {
        this.shortest = shortest.toNanos();
        this.find = find;
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
            waits.computeIfAbsent(id, added -> new Wait(id, now)).join(end, now);
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

    /** This process has ended this job, or seen that it has ended. Costs next to nothing where nobody waits. */
    void ended(long id) {
        if (!any) {
            return;
        }
        lock.lock();
        try {
            Wait wait = waits.get(id);
            if (wait != null) {
                wait.news(System.nanoTime());
                told.add(id);
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
                long left = Long.MAX_VALUE;
                List<Wait> soon = new ArrayList<>();
                for (Wait wait : waits.values()) {
                    left = Math.min(left, wait.nextLook - now);
                    if (wait.nextLook - now <= TOGETHER) {
                        soon.add(wait);
                    }
                }
                if (left <= 0) {
                    soon.sort((one, other) -> Long.signum(one.nextLook - other.nextLook)); // as nanoTime asks for
                    Set<Wait> due = new LinkedHashSet<>(ASKED_AT_ONCE * 2);
                    takeTold(due);
                    soon.stream().takeWhile(wait -> due.size() < ASKED_AT_ONCE).forEach(due::add);
                    due.forEach(Wait::asked);
                    return due.stream().mapToLong(wait -> wait.id).toArray();
                }
                changed.awaitNanos(left);
            }
            return new long[0];
        } finally {
            lock.unlock();
        }
    }

    /** Those that this process knows to have ended come first, and leave half of a look to those that are due for longer. */
    private void takeTold(Set<Wait> due) {
        for (Iterator<Long> next = told.iterator(); next.hasNext() && due.size() < ASKED_AT_ONCE / 2; next.remove()) {
            Wait wait = waits.get(next.next());
            if (wait != null) {
                due.add(wait);
            }
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
        long rest = Math.min(LONGEST_REST, REST_PER_LOOK * (System.nanoTime() - begun));
        note(ids, found.ended(), found.all());
        return found.all() ? Math.max(SHORTEST_REST, rest) : SHORTEST_REST; // the next one tells more
    }

    private void note(long[] ids, List<Ended> found, boolean all) {
        Map<CompletableFuture<Ended>, Ended> over = new HashMap<>();
        lock.lock();
        try {
            long now = System.nanoTime();
            Set<Long> answered = new HashSet<>();
            for (Ended ended : found) {
                answered.add(ended.id());
                Wait wait = waits.get(ended.id());
                if (wait != null && (ended.state() != null || wait.nowhere(now))) {
                    wait.takeAsked().forEach(end -> over.put(end, ended));
                    if (wait.isOver()) {
                        waits.remove(ended.id());
                    } else {
                        wait.nextLook = now;
                    }
                }
            }
            if (all) {
                for (long id : ids) {
                    Wait wait = waits.get(id);
                    if (wait != null && !answered.contains(id)) {
                        wait.lives(now, shortest);
                    }
                }
            }
            any = !waits.isEmpty();
        } finally {
            lock.unlock();
        }
        over.forEach(CompletableFuture::complete);
    }

    /** Others come first: should it be these jobs that cannot be asked for, they are in nobody's way. */
    private void postpone(long[] ids) {
        lock.lock();
        try {
            long now = System.nanoTime();
            for (long id : ids) {
                Wait wait = waits.get(id);
                if (wait != null) {
                    wait.nextLook = now;
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
            left = waits.values().stream().flatMap(Wait::all).toList();
            waits.clear();
            any = false;
            changed.signal();
        } finally {
            lock.unlock();
        }
        left.forEach(end -> end.completeExceptionally(
                new IllegalStateException("this Rowlock was closed while it was waited for")));
    }

    /** An awaited job, with all futures of this process that wait for it. Guarded by the lock. */
    private static final class Wait {

        private static final long LONGEST = Duration.ofSeconds(1).toNanos();
        private static final int PART_OF_AGE = 8;

        /** So soon a job is looked for again that was nowhere. */
        private static final long SOON = Duration.ofMillis(20).toNanos();

        private final long id;
        private final long begun;
        private final List<CompletableFuture<Ended>> asked = new ArrayList<>(); // before the latest look
        private final List<CompletableFuture<Ended>> joined = new ArrayList<>(); // since then
        private long nextLook;
        private boolean news; // since the latest look began: its answer may be older
        private boolean wasNowhere;

        Wait(long id, long now) {
            this.id = id;
            this.begun = now;
            this.nextLook = now;
        }

        void join(CompletableFuture<Ended> end, long now) {
            joined.add(end);
            news(now);
        }

        /** Returns whether nobody waits any more. */
        boolean leave(CompletableFuture<?> end) {
            return (asked.remove(end) || joined.remove(end)) && isOver();
        }

        boolean isOver() {
            return asked.isEmpty() && joined.isEmpty();
        }

        Stream<CompletableFuture<Ended>> all() {
            return Stream.concat(asked.stream(), joined.stream());
        }

        /** It may have ended, or somebody waits who knows more than those who wait already: it is due, if it is not yet. */
        void news(long now) {
            news = true;
            if (nextLook - now > 0) {
                nextLook = now;
            }
        }

        /** A look begins. */
        void asked() {
            news = false;
            asked.addAll(joined);
            joined.clear();
        }

        /** Those for whom the answer of the look is new. They wait no longer. */
        List<CompletableFuture<Ended>> takeAsked() {
            List<CompletableFuture<Ended>> answered = List.copyOf(asked);
            asked.clear();
            wasNowhere = false;
            return answered;
        }

        /** It has not ended: the longer it has not, the more rarely it is asked for. */
        void lives(long now, long shortest) {
            wasNowhere = false;
            long byAge = Math.min(LONGEST, (now - begun) / PART_OF_AGE);
            nextLook = news ? now : now + Math.max(shortest, byAge);
        }

        /**
         * Whether it certainly is in no room; if not, it is looked for again soon. A partition of done that is attached between a statement's plan and its
         * snapshot hides its jobs from that statement; and who waits may know the id a moment before it is committed.
         */
        boolean nowhere(long now) {
            boolean again = wasNowhere;
            wasNowhere = true;
            nextLook = now + SOON;
            return again;
        }
    }
}
