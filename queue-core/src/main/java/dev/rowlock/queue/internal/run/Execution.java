package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.record.Recorder.HeldJob;
import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * One claim on its way from the claimer to the recorder. Says what may still happen to it, and interrupts its handler.
 *
 * <p>The handler's thread is interrupted only between {@link #begin} and {@link #end}: an interrupt that comes later
 * must not hit whatever the thread does next.
 */
public final class Execution implements HeldJob {

    /** Why a handler was interrupted. The first reason stands, except that a lost claim goes before all others. */
    public enum Stop {
        NONE,
        CANCELLED,
        TIMED_OUT,
        SHUTDOWN,
        CLAIM_LOST
    }

    /** Who writes down that the job is done. */
    public enum Completion {
        BY_RECORDER,
        IN_OPEN_TRANSACTION,
        COMMITTED,
        ROLLED_BACK,

        /** Nobody could, for want of a partition of done; the transaction is lost. */
        NO_PARTITION
    }

    /** How the thread that runs a handler is interrupted. */
    @FunctionalInterface
    public interface Interrupter {

        /** Called under the execution's lock, once for each reason. */
        void stop(Execution execution, Stop reason, Thread handler);
    }

    private static final Interrupter AT_ONCE = (execution, reason, handler) -> handler.interrupt();

    private volatile ClaimedJob job; // written once more, by whoever settles it
    private final Holder holder;
    private final long claimedNanos;
    private final long heldNanos = System.nanoTime();

    private Stop stop = Stop.NONE; // guarded by this
    private int interruptedFor; // guarded by this; a bit for each reason
    private @Nullable Thread thread; // guarded by this; set while the handler runs
    private long begunNanos; // guarded by this; monotonic; since when there is a thread
    private Interrupter interrupter = AT_ONCE; // guarded by this
    private @Nullable Future<?> deadline; // guarded by this
    private long deadlineAt; // guarded by this; monotonic; says something while there is a deadline
    private boolean settled; // guarded by this; an outcome has been handed over, or the execution was given up
    private volatile boolean toLeave; // the node begins to stop
    private volatile boolean saidToLeave; // and the handler has asked
    private volatile boolean outOfTime; // written by the timer and the handler's thread: the call that it is part of
    private volatile Completion completion = Completion.BY_RECORDER;

    public Execution(ClaimedJob job, Holder holder, long claimedNanos) {
        this.job = job;
        this.holder = holder;
        this.claimedNanos = claimedNanos;
    }

    @Override
    public ClaimedJob job() {
        return job;
    }

    /** The bytes of a large payload that came along, as the claim counts them: never more than it was allowed to bring. */
    public int payloadBytes() {
        String payload = job.payload();
        return payload == null || payload.length() <= NewJob.LARGE ? 0 : payload.length();
    }

    /** The handler has run, or will not run: a large payload need not wait for the outcome to be written. */
    public void forgetPayload() {
        if (payloadBytes() > 0) {
            job = job.withoutPayload();
        }
    }

    @Override
    public boolean letGo() {
        return holder.letGo(this);
    }

    /** When the claim began that brought it, so a little earlier than the database says. Monotonic, in nanoseconds. */
    public long claimedNanos() {
        return claimedNanos;
    }

    /** Since when this node holds the job: the claim was answered. Monotonic, in nanoseconds. */
    public long heldNanos() {
        return heldNanos;
    }

    /** The calling thread is about to run the handler. False: it must not, see {@link #stopped()}. */
    synchronized boolean begin() {
        return begin(AT_ONCE);
    }

    /** The same where somebody else decides whether a reason to stop interrupts the thread. */
    public synchronized boolean begin(Interrupter by) {
        if (stop != Stop.NONE) {
            return false;
        }
        interrupter = by;
        outOfTime = false;
        completion = Completion.BY_RECORDER; // a chunk is called again after its transaction has rolled back
        begunNanos = System.nanoTime();
        thread = Thread.currentThread();
        return true;
    }

    /** The handler has returned or thrown. Clears an interrupt that was meant for it. */
    public synchronized void end() {
        thread = null;
        cancelDeadline();
        Thread.interrupted();
    }

    /**
     * Stops the handler if it runs, and keeps it from starting if it does not. Each reason interrupts once: a cancel comes with
     * each heartbeat and must not hit the clean-up that its first one began. A deadline can be moved, and passes again.
     */
    public synchronized void stop(Stop reason) {
        if (stop == Stop.NONE || reason == Stop.CLAIM_LOST) {
            stop = reason;
        }
        int bit = 1 << reason.ordinal();
        if (thread != null && (reason == Stop.TIMED_OUT || (interruptedFor & bit) == 0)) {
            interruptedFor |= bit;
            interrupter.stop(this, reason, thread);
        }
    }

    /** The node begins to stop. The handler is not interrupted yet, but may stop by itself: nothing will be charged. */
    public void leave() {
        toLeave = true;
    }

    /** Whether the node begins to stop. */
    public boolean leaving() {
        return toLeave;
    }

    /** The handler asks whether it is to leave. */
    boolean seenToLeave() {
        saidToLeave = toLeave;
        return toLeave;
    }

    /** Whether the handler knows that it is to leave: what it throws then need not be a failure of its job. */
    public boolean saidToLeave() {
        return saidToLeave;
    }

    public synchronized Stop stopped() {
        return stop;
    }

    /** The thread that runs its handler; null if none does. */
    public synchronized @Nullable Thread thread() {
        return thread;
    }

    /** For how long its handler has been running; zero if it does not. */
    public synchronized Duration runningFor() {
        return thread == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - begunNanos);
    }

    /** The time of the call is up that it is part of. That need not be a reason to stop this job. */
    public void outOfTime(boolean over) {
        outOfTime = over;
    }

    boolean outOfTime() {
        return outOfTime;
    }

    /**
     * Whether the handler has called {@link System#exit}. Its thread then never comes back, and what it does to this process
     * is a crash.
     */
    public boolean exiting() {
        Thread handler;
        synchronized (this) {
            handler = thread;
        }
        return handler != null
                && Arrays.stream(handler.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals("java.lang.Runtime")
                                && frame.getMethodName().equals("exit"));
    }

    /** Exactly one caller gets true: only it may hand over an outcome. */
    public synchronized boolean settle() {
        boolean first = !settled;
        settled = true;
        return first;
    }

    public synchronized boolean settled() {
        return settled;
    }

    /** Replaces the deadline, monotonic in nanoseconds, and the timer that ends this execution then. */
    public synchronized void deadline(long at, Future<?> timer) {
        cancelDeadline();
        deadline = timer;
        deadlineAt = at;
    }

    /** Whether the handler still runs so long after its deadline. */
    public synchronized boolean overdue(long now, Duration grace) {
        return thread != null && deadline != null && now - deadlineAt >= grace.toNanos();
    }

    /** Whether its call has further jobs. */
    public synchronized boolean shared() {
        return interrupter != AT_ONCE;
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    Completion completion() {
        return completion;
    }

    /** Written by the thread that runs the handler's transaction. */
    void completion(Completion state) {
        completion = state;
    }

    /** The held executions of a node: each from the claim of its job until its outcome is recorded or refused. Thread-safe. */
    @FunctionalInterface
    public interface Holder {

        /** Holds this execution no longer. Returns whether it did until now. */
        boolean letGo(Execution execution);
    }

    /** Watches whether the transaction that completes jobs commits or rolls back. Confined to that transaction's thread. */
    static final class CompletionWatch implements TransactionSynchronization {

        private final List<Execution> completed;
        private final Set<Object> laterSavepoints = new HashSet<>();

        CompletionWatch(List<Execution> completed) {
            this.completed = completed;
            all(Completion.IN_OPEN_TRANSACTION);
        }

        private void all(Completion state) {
            completed.forEach(execution -> execution.completion(state));
        }

        @Override
        public void savepoint(Object savepoint) {
            laterSavepoints.add(savepoint);
        }

        /** Back to a savepoint from before the completion: that undoes it. */
        @Override
        public void savepointRollback(Object savepoint) {
            if (!laterSavepoints.contains(savepoint)) {
                all(Completion.ROLLED_BACK);
            }
        }

        /** Not afterCommit: another synchronization that throws there would skip this one. */
        @Override
        public void afterCompletion(int status) {
            boolean stands = completed.get(0).completion() == Completion.IN_OPEN_TRANSACTION;
            all(status == STATUS_COMMITTED && stands ? Completion.COMMITTED : Completion.ROLLED_BACK);
        }
    }
}
