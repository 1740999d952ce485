package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.internal.workflow.MoveSteps.Moved;
import dev.rowlock.queue.internal.workflow.MoveSteps.MovedStep;
import dev.rowlock.queue.internal.workflow.MoveSteps.Walk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the jobs of steps that were released or skipped, and wakes the nodes that can run them. Jobs of large steps move in
 * rounds, some in each. A job that the database rejects does not hold up others. One thread.
 */
final class StepMoves {

    private static final Logger log = LoggerFactory.getLogger(StepMoves.class);

    /** So many jobs of a large step are moved by one statement. */
    private static final int CHUNK = 1_000;

    /** Where the server refuses all jobs, so often some are left aside before the others wait for the sweep. */
    private static final int ROUNDS = 11;

    /** Beyond so many large steps the sweep finds the others. */
    private static final int MOST = 100_000;

    /**
     * How far the jobs of a large step have moved.
     *
     * @param busy whether it stays as it is, because of those who add to it
     * @param state of the step; null: none has moved yet. It has each state only once, so that the place means nothing in another one
     * @param behind the next one has a higher id
     */
    private record Moving(boolean busy, @Nullable String state, long behind) {}

    private final MoveSteps move;
    private final FindSteps find;
    private final WakeupBus wakeups;
    private final RefusedJobs refused;
    private final Map<StepKey, Moving> large = new LinkedHashMap<>();

    StepMoves(Database database, WakeupBus wakeups) {
        this(database, wakeups, new RefusedJobs("that are to go on with their step cannot be moved"));
    }

    StepMoves(Database database, WakeupBus wakeups, RefusedJobs refused) {
        this.move = new MoveSteps(database);
        this.find = new FindSteps(database);
        this.wakeups = wakeups;
        this.refused = refused;
    }

    /**
     * Moves the jobs of these steps if they have few, and of the others in rounds. Returns those whose last job has moved, and that get no more jobs that
     * wait with them.
     */
    List<MovedStep> of(List<StepKey> steps) {
        List<MovedStep> moved = new ArrayList<>();
        List<StepKey> fresh =
                steps.stream().filter(step -> !large.containsKey(step)).toList();
        Progress.parts(fresh).forEach(some -> moved.addAll(together(some)));
        return moved;
    }

    private List<MovedStep> together(List<StepKey> steps) {
        List<MovedStep> moved = new ArrayList<>();
        Set<StepKey> added = find.busy(steps); // before the first look at their jobs
        try {
            moved.addAll(some(new Walk(steps, MoveSteps.MOVING, 0, Progress.FEW, added))
                    .steps());
        } catch (RuntimeException e) {
            log.debug("moving {} steps together failed; moving them one by one", steps.size(), e);
        }
        Set<StepKey> left = new LinkedHashSet<>(steps);
        moved.forEach(step -> left.remove(step.key()));
        for (StepKey step : left) { // with many jobs, or of a part that failed: it must not keep the others
            if (large.size() < MOST) {
                large.put(step, new Moving(added.contains(step), null, 0));
            }
        }
        return moved;
    }

    /** Whether there are large steps with jobs to be moved. */
    boolean unfinished() {
        return !large.isEmpty();
    }

    /** Moves some jobs of a large step, each time of another one. Returns it if that was the last of them. */
    List<MovedStep> round() {
        Iterator<Map.Entry<StepKey, Moving>> first = large.entrySet().iterator();
        if (!first.hasNext()) {
            return List.of();
        }
        Map.Entry<StepKey, Moving> next = first.next();
        first.remove();
        return some(next.getKey(), next.getValue());
    }

    private List<MovedStep> some(StepKey step, Moving place) {
        List<String> states = place.state() == null ? MoveSteps.MOVING : List.of(place.state());
        try {
            Moved some = some(
                    new Walk(List.of(step), states, place.behind(), CHUNK, place.busy() ? Set.of(step) : Set.of()));
            if (some.steps().isEmpty() && some.last() > 0) {
                large.put(step, new Moving(place.busy(), some.state(), some.last()));
            }
            return some.steps();
        } catch (RuntimeException e) { // the sweep tries it again
            log.warn(
                    "moving the jobs of step {} of workflow {} failed; will retry within a minute",
                    step.step(),
                    step.workflow(),
                    e);
            return List.of();
        }
    }

    private Moved some(Walk walk) {
        for (int round = 1; ; round++) {
            try {
                Moved moved = move.run(walk, refused.ids());
                tell(moved);
                return moved;
            } catch (RuntimeException e) {
                // Whatever else is the matter, parts would only wait longer: for each job that somebody keeps locked,
                // say.
                if (!BatchSplitter.isOfARow(e) || round == ROUNDS) {
                    throw e;
                }
                refused.apart(() -> move.names(walk, refused.ids()), this::named, e);
            }
        }
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
                log.debug("retrying jobs that the database had rejected failed; will retry later", e);
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

    void tell(List<ReadyJobs> ready) {
        ready.forEach(each -> each.wake(wakeups));
    }
}
