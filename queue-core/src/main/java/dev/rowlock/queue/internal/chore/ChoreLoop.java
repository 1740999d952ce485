package dev.rowlock.queue.internal.chore;

import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.Failing;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.spi.ChoreStatus;
import dev.rowlock.queue.spi.NodeStatus.PolicyCounts;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs chores on one thread, each when it wants. A chore that fails is tried again and never stops the others. */
public final class ChoreLoop {

    private static final Logger log = LoggerFactory.getLogger(ChoreLoop.class);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private final List<Planned> plan;
    private final Consumer<TimeBudget> last;
    private final EndlessTask lasting;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean closed; // guarded by lock

    /** @param last what its feature does at the end of the node ({@link Feature#last}) */
    public ChoreLoop(String threadName, List<Chore> chores, Consumer<TimeBudget> last) {
        this.plan = chores.stream().map(Planned::new).toList();
        this.last = last;
        this.lasting = new EndlessTask(threadName, this::run);
        this.thread = lasting.thread();
        plan.forEach(planned -> planned.chore.triggeredBy(time -> runWithin(time, planned)));
    }

    public void start() {
        thread.start();
    }

    /** Its thread. */
    public EndlessTask part() {
        return lasting;
    }

    /** Whether one of its chores has not succeeded for long. */
    public boolean failing() {
        return plan.stream().anyMatch(planned -> planned.failures.lasting());
    }

    /** How each of its chores does. */
    public Stream<ChoreStatus> statuses() {
        return plan.stream().map(Planned::status);
    }

    /** What policies have answered that its chores ask. */
    public Stream<PolicyCounts> policies() {
        return plan.stream().flatMap(planned -> planned.chore.policy().stream());
    }

    /** Somebody has changed something: those chores run that must know, after this time at the latest. */
    public void changed(Duration pause) {
        plan.stream()
                .map(planned -> planned.chore)
                .filter(Chore::dueAfterChange)
                .forEach(Chore::changed);
        runWithin(pause, Chore::dueAfterChange);
    }

    /** The node hears of changes from now on, and may have missed some: those chores run that must not wait, after this time at the latest. */
    public void connected(Duration pause) {
        runWithin(pause, Chore::dueAfterConnect);
    }

    private void runWithin(Duration time, Predicate<Chore> which) {
        plan.stream().filter(planned -> which.test(planned.chore)).forEach(planned -> runWithin(time, planned));
    }

    private void runWithin(Duration time, Planned planned) {
        lock.lock();
        try {
            long at = System.nanoTime() + time.toNanos();
            if (at - planned.at < 0) {
                planned.at = at;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        boolean open = true;
        while (open) {
            try {
                open = runNext();
            } catch (InterruptedException e) {
                log.debug("interrupted; checking for the stop", e);
            }
        }
    }

    private boolean runNext() throws InterruptedException {
        Planned next = awaitNext();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    /** Waits until a chore is due. Null: closed. */
    private @Nullable Planned awaitNext() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed) {
                long now = System.nanoTime();
                Planned next = plan.stream()
                        .min(Comparator.comparingLong(p -> p.at - now))
                        .orElseThrow();
                long wait = next.at - now;
                if (wait <= 0) {
                    // Whoever asks from now on asks for another run.
                    next.at = now + TimeUnit.DAYS.toNanos(1);
                    return next;
                }
                changed.awaitNanos(wait);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Lets the thread end after what is under way. */
    public void stop() {
        lasting.end();
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the thread to end, but not longer than this. */
    public void awaitStop(TimeBudget longest) {
        longest.join(thread);
        thread.interrupt();
    }

    /** Lets its feature do the last that it has to do, if the thread has ended. */
    public void last(TimeBudget longest) {
        if (!thread.isAlive()) {
            last.accept(longest);
        }
    }

    /** A chore and when it is due, on the monotonic clock. */
    private final class Planned {

        private final Chore chore;
        private long at = System.nanoTime(); // guarded by lock
        private final Failing failures = new Failing();
        private volatile long succeededAt; // monotonic
        private volatile boolean succeeded;

        Planned(Chore chore) {
            this.chore = chore;
        }

        void run() {
            Duration rest = AFTER_FAILURE;
            try {
                rest = chore.runOnce();
                failures.worked();
                succeededAt = System.nanoTime();
                succeeded = true;
            } catch (RuntimeException | Error e) {
                if (failures.failed()) {
                    chore.tell(log, e, AFTER_FAILURE);
                }
            } finally {
                planNext(rest); // also where telling of the failure fails: it would not run again for a day
            }
        }

        ChoreStatus status() {
            return new ChoreStatus(
                    chore.name(),
                    succeeded ? Duration.ofNanos(System.nanoTime() - succeededAt) : null,
                    failures.now(),
                    chore.behind().orElse(null));
        }

        private void planNext(Duration rest) {
            long nanos = rest.toNanos();
            long spread = chore.punctual() ? 0 : nanos / 10;
            long at = System.nanoTime()
                    + nanos
                    + (spread > 0 ? ThreadLocalRandom.current().nextLong(spread) : 0);
            lock.lock();
            try {
                this.at = at - this.at < 0 ? at : this.at;
            } finally {
                lock.unlock();
            }
        }
    }
}
