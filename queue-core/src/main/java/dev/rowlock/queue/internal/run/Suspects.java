package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.store.claim.IsolateJob;
import dev.rowlock.queue.job.Claim;
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

    private final IsolateJob isolate;
    private final Deadlines timer;
    private final int lastLife;
    private final Deque<Execution> parked = new ArrayDeque<>(); // guarded by this
    private final Set<Execution> trusted = new HashSet<>(); // guarded by this
    private @Nullable Execution current; // guarded by this

    /** @param maxCrashes as many crashes quarantine a job */
    public Suspects(IsolateJob isolate, Deadlines timer, int maxCrashes) {
        this.isolate = isolate;
        this.timer = timer;
        this.lastLife = Math.max(1, maxCrashes - 1);
    }

    /** Whether one more crash would quarantine the job. */
    boolean suspect(Execution execution) {
        return execution.job().crashes() >= lastLife;
    }

    /**
     * Asks to run a suspect now. False: it is parked, and goes back to its queue's buffer when it may run, or is
     * set aside.
     */
    synchronized boolean enter(Execution execution) {
        if (current != null && current != execution) {
            parked.add(execution);
            timer.later(LONGEST_PARKED, () -> setAside(execution));
            return false;
        }
        current = execution;
        timer.later(TRUSTED, () -> trust(execution));
        return true;
    }

    /** Writes down that this suspect is started, and that trusted ones are not to blame; false if its claim was lost. */
    boolean isolate(Execution execution) {
        return isolate.run(execution.job().claim(), trustedClaims());
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
        Execution next;
        synchronized (this) {
            if (current != execution) {
                return;
            }
            next = parked.poll();
            current = next;
        }
        if (next != null) {
            next.worker().offer(next);
        }
    }

    private void setAside(Execution execution) {
        boolean stillParked;
        synchronized (this) {
            stillParked = parked.remove(execution);
        }
        if (stillParked) {
            execution.worker().setAside(execution, LONGEST_PARKED);
        }
    }

    /** Takes out the parked suspects of a queue. */
    synchronized List<Execution> takeParked(QueueWorker worker) {
        List<Execution> taken =
                parked.stream().filter(e -> e.worker() == worker).toList();
        parked.removeAll(taken);
        return taken;
    }
}
