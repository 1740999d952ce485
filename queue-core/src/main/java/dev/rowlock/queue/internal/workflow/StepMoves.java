package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.batch.BatchSplitter;
import dev.rowlock.queue.internal.store.batch.RefusedJobs;
import dev.rowlock.queue.internal.store.workflow.FindBusySteps;
import dev.rowlock.queue.internal.store.workflow.MoveSteps;
import dev.rowlock.queue.internal.store.workflow.MoveSteps.Moved;
import dev.rowlock.queue.internal.store.workflow.MoveSteps.MovedStep;
import dev.rowlock.queue.internal.store.workflow.MoveSteps.Ready;
import dev.rowlock.queue.internal.store.workflow.StepKey;
import dev.rowlock.queue.internal.wake.WakeupBus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves the jobs of steps about which something was decided, and tells those who can run them. A job that the server refuses keeps no other. One thread. */
final class StepMoves {

    private static final Logger log = LoggerFactory.getLogger(StepMoves.class);

    /** So many jobs of a large step are moved by one statement. */
    private static final int CHUNK = 1_000;

    /** Where the server refuses all jobs, so often some are left aside before the others wait for the sweep. */
    private static final int ROUNDS = 11;

    private final MoveSteps move;
    private final FindBusySteps busy;
    private final WakeupBus wakeups;
    private final RefusedJobs refused;

    StepMoves(Database database, WakeupBus wakeups) {
        this(database, wakeups, new RefusedJobs("that are to go on with their step cannot be moved"));
    }

    StepMoves(Database database, WakeupBus wakeups, RefusedJobs refused) {
        this.move = new MoveSteps(database);
        this.busy = new FindBusySteps(database);
        this.wakeups = wakeups;
        this.refused = refused;
    }

    /** Moves all jobs of these steps. Returns those whose last job has moved, and that get no more jobs that wait with them. */
    List<MovedStep> of(List<StepKey> steps) {
        List<MovedStep> moved = new ArrayList<>();
        Progress.parts(steps).forEach(some -> moved.addAll(together(some)));
        return moved;
    }

    private List<MovedStep> together(List<StepKey> steps) {
        List<MovedStep> moved = new ArrayList<>();
        Set<StepKey> added = busy.run(steps); // before the first look at their jobs
        try {
            moved.addAll(some(steps, 0, Progress.FEW, added).steps());
        } catch (RuntimeException e) {
            log.debug("{} steps could not be moved together, so one by one", steps.size(), e);
        }
        Set<StepKey> left = new LinkedHashSet<>(steps);
        moved.forEach(step -> left.remove(step.key()));
        left.forEach(step -> moved.addAll(apart(step, added)));
        return moved;
    }

    /** A step with many jobs, or one of a part that failed: it must not keep the others. The sweep tries it again. */
    private List<MovedStep> apart(StepKey step, Set<StepKey> added) {
        try {
            long behind = 0;
            Moved some;
            do {
                some = some(List.of(step), behind, CHUNK, added);
                behind = some.last();
            } while (some.steps().isEmpty() && behind > 0);
            return some.steps();
        } catch (RuntimeException e) {
            log.warn(
                    "the jobs of step {} of workflow {} could not be moved; they are tried again within a minute",
                    step.step(),
                    step.workflow(),
                    e);
            return List.of();
        }
    }

    private Moved some(List<StepKey> steps, long behind, int limit, Set<StepKey> added) {
        for (int round = 1; ; round++) {
            try {
                return moved(steps, behind, limit, added);
            } catch (RuntimeException e) {
                // Whatever else is the matter, parts would only wait longer: for each job that somebody keeps locked,
                // say.
                if (!BatchSplitter.isOfARow(e) || round == ROUNDS) {
                    throw e;
                }
                refused.apart(() -> move.names(steps, behind, limit, refused.ids()), this::named, e);
            }
        }
    }

    private Moved moved(List<StepKey> steps, long behind, int limit, Set<StepKey> added) {
        Moved moved = move.run(steps, behind, limit, refused.ids(), added);
        tell(moved);
        return moved;
    }

    private void named(List<Long> jobs) {
        tell(move.named(jobs));
    }

    /** Tries again to move what the server has refused, when it is time. Their steps have moved when somebody looks at them after that. */
    void tryAgain() {
        if (refused.isDue()) {
            try {
                refused.tryAgain(this::named, CHUNK);
            } catch (RuntimeException e) {
                // Somebody keeps one of them locked, say: that must not keep other steps.
                log.debug("jobs that the server has refused could not be tried again now", e);
            }
        }
    }

    private void tell(Moved moved) {
        tell(moved.ready());
        Duration nextDue = moved.nextDue();
        if (nextDue != null) {
            wakeups.jobsWaiting(nextDue);
        }
    }

    void tell(List<Ready> ready) {
        for (Ready each : ready) {
            if (each.keys()) {
                wakeups.keysReady(each.queue());
            }
            wakeups.jobsReady(each.queue(), each.rank(), each.jobs());
        }
    }
}
