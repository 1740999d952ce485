package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Starts jobs one after the other that one more crash would quarantine.
 *
 * <p>When a node dies, everything that it ran may be the culprit. Most deaths have none, so the first crashes only count,
 * and all jobs of a dead node start again at once. A job on its last life is a suspect: run one by one, the culprit
 * brings down its next node alone and reaches quarantine alone; the others complete. That a suspect has really started
 * is written down first, because only then is it blamed for the next crash.
 *
 * <p>A suspect is over when its outcome is recorded, or when its node has survived it for {@link #TRUSTED}: then it is
 * trusted, and when the next one starts beside it, that one alone is to blame for what follows. One that has been parked for
 * {@link #LONGEST_PARKED} is set aside, so that another node can have it.
 */
public final class Suspects {

    /** A node that has survived a suspect for this long may start the next one beside it. */
    private static final Duration TRUSTED = Duration.ofSeconds(5);

    private static final Duration LONGEST_PARKED = Duration.ofSeconds(1);

    private final ClaimStatements statements;
    private final Deadlines timer;
    private final int lastLife;
    private final Deque<Parked> parked = new ArrayDeque<>(); // guarded by this
    private final Set<Execution> trusted = new HashSet<>(); // guarded by this
    private @Nullable Execution current; // guarded by this

    /** @param maxCrashes as many crashes quarantine a job */
    public Suspects(ClaimStatements statements, Deadlines timer, int maxCrashes) {
        this.statements = statements;
        this.timer = timer;
        this.lastLife = Math.max(1, maxCrashes - 1);
    }

    /** Whether one more crash would quarantine the job. */
    boolean suspect(Execution execution) {
        return execution.job().crashes() >= lastLife;
    }

    /**
     * Asks to run a suspect of this queue now. False: it is parked, and goes back to the queue's buffer when it may run, or
     * is set aside.
     */
    synchronized boolean enter(QueueWorker queue, Execution execution) {
        if (current != null && current != execution) {
            Parked suspect = new Parked(queue, execution);
            parked.add(suspect);
            timer.after(LONGEST_PARKED, () -> setAside(suspect));
            return false;
        }
        current = execution;
        timer.after(TRUSTED, () -> trust(execution));
        return true;
    }

    /** Writes down that this suspect is started, and that trusted ones are not to blame; false if its claim was lost. */
    boolean isolate(Execution execution) {
        return statements.isolate(execution.job().claim(), trustedClaims());
    }

    private synchronized List<Claim> trustedClaims() {
        return trusted.stream().map(e -> e.job().claim()).toList();
    }

    private void trust(Execution execution) {
        synchronized (this) {
            if (current != execution) {
                return;
            }
            trusted.add(execution);
        }
        next(execution);
    }

    /** This job is not held any more: if it was the current one, the next suspect is. */
    void leave(Execution execution) {
        if (suspect(execution)) {
            synchronized (this) {
                trusted.remove(execution);
            }
            next(execution);
        }
    }

    private void next(Execution execution) {
        Parked next;
        synchronized (this) {
            if (current != execution) {
                return;
            }
            next = parked.poll();
            current = next == null ? null : next.execution();
        }
        if (next != null) {
            next.queue().offer(next.execution());
        }
    }

    private void setAside(Parked suspect) {
        boolean stillParked;
        synchronized (this) {
            stillParked = parked.remove(suspect);
        }
        if (stillParked) {
            suspect.queue().settle(suspect.execution(), new Outcome.SetAside(Due.after(LONGEST_PARKED)), Duration.ZERO);
        }
    }

    /** Takes out the parked suspects of a queue. */
    synchronized List<Execution> takeParked(QueueWorker queue) {
        List<Parked> taken =
                parked.stream().filter(suspect -> suspect.queue() == queue).toList();
        parked.removeAll(taken);
        return taken.stream().map(Parked::execution).toList();
    }

    /** A suspect that waits for its turn, and the queue that holds it. */
    private record Parked(QueueWorker queue, Execution execution) {}
}
