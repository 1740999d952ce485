package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.workflow.DecideSteps;
import dev.rowlock.queue.internal.store.workflow.EndWorkflows;
import dev.rowlock.queue.internal.store.workflow.FindEndedSteps;
import dev.rowlock.queue.internal.store.workflow.MarkEndedJobs;
import dev.rowlock.queue.internal.store.workflow.MarkEndedJobs.Marked;
import dev.rowlock.queue.internal.store.workflow.MarkEndedJobs.Place;
import dev.rowlock.queue.internal.store.workflow.MarkEndedJobs.Touched;
import dev.rowlock.queue.internal.store.workflow.MoveSteps;
import dev.rowlock.queue.internal.store.workflow.MoveSteps.Moved;
import dev.rowlock.queue.internal.store.workflow.MoveSteps.MovedStep;
import dev.rowlock.queue.internal.store.workflow.StepKey;
import dev.rowlock.queue.internal.wake.WakeupBus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets workflows go on after some of their jobs have ended. */
final class Progress {

    private static final Logger log = LoggerFactory.getLogger(Progress.class);

    /** Steps with fewer jobs than this are moved together. */
    private static final int FEW = 50;

    /** So many jobs of a large step are moved by one statement. */
    private static final int CHUNK = 1_000;

    /** So many steps are decided about, or moved, by one statement. */
    private static final int STEPS = 200;

    private final MarkEndedJobs mark;
    private final FindEndedSteps findEnded;
    private final DecideSteps decide;
    private final MoveSteps move;
    private final EndWorkflows end;
    private final WakeupBus wakeups;

    Progress(Database database, WakeupBus wakeups) {
        this.mark = new MarkEndedJobs(database);
        this.findEnded = new FindEndedSteps(database);
        this.decide = new DecideSteps(database);
        this.move = new MoveSteps(database);
        this.end = new EndWorkflows(database);
        this.wakeups = wakeups;
    }

    /** These jobs have ended; negative ids are workflows within others. */
    void ended(Collection<Long> ids) {
        goOn(mark.heard(ids));
    }

    /** Looks whether jobs behind a place have ended, of which nobody has heard. Returns how far it came. */
    Marked ended(Place behind, int limit) {
        Marked marked = mark.stretch(behind, limit);
        goOn(marked.steps());
        return marked;
    }

    /** Looks whether steps may run of which nobody has heard. Returns the last one that was looked at. */
    List<StepKey> waiting(StepKey behind, int limit) {
        List<StepKey> some = decide.stretch(behind, limit);
        if (!some.isEmpty()) {
            moveAll(decide.themselves(some));
            endAll(workflows(some));
        }
        return some;
    }

    /** Goes on with steps whose jobs somebody was about to move. Returns whether there were any. */
    boolean left() {
        List<StepKey> left = move.left(STEPS);
        moveAll(left);
        endAll(workflows(left));
        return !left.isEmpty();
    }

    /** Jobs of this workflow were cancelled. */
    void cancelled(long workflow) {
        endAll(List.of(workflow));
    }

    private void goOn(List<Touched> touched) {
        if (touched.isEmpty()) {
            return;
        }
        Set<StepKey> parents = new LinkedHashSet<>();
        List<StepKey> completed = new ArrayList<>();
        Set<Long> ended = new LinkedHashSet<>();
        for (Touched each : touched) {
            if (each.failed()) {
                parents.add(each.step());
            } else {
                completed.add(each.step());
            }
            if (each.again()) {
                ended.add(each.step().workflow()); // it may have ended, and runs again
            }
        }
        parents.addAll(completed.isEmpty() ? List.of() : findEnded.run(completed));
        Set<Long> goOn = after(parents);
        parents.stream()
                .map(StepKey::workflow)
                .filter(workflow -> !goOn.contains(workflow))
                .forEach(ended::add);
        endAll(ended);
    }

    /** Decides about the steps behind these, and moves their jobs. Returns workflows that certainly go on. */
    private Set<Long> after(Collection<StepKey> parents) {
        Set<Long> goOn = new LinkedHashSet<>();
        for (List<StepKey> some : parts(parents)) {
            goOn.addAll(moveAll(decide.after(some)));
        }
        return goOn;
    }

    /** Moves the jobs of steps. Skipped ones have ended by that, so it looks at the steps behind them as well. Returns as {@link #after}. */
    private Set<Long> moveAll(List<StepKey> steps) {
        Set<Long> goOn = new LinkedHashSet<>();
        List<StepKey> ended = new ArrayList<>();
        for (List<StepKey> some : parts(steps)) {
            for (MovedStep moved : moveTogether(some)) {
                if (moved.ended()) {
                    ended.add(moved.key());
                } else {
                    goOn.add(moved.key().workflow());
                }
            }
        }
        if (!ended.isEmpty()) {
            goOn.addAll(after(ended));
        }
        return goOn;
    }

    private List<MovedStep> moveTogether(List<StepKey> steps) {
        List<MovedStep> moved = new ArrayList<>();
        try {
            Moved together = move.run(steps, 0, FEW);
            tell(together);
            moved.addAll(together.steps());
        } catch (RuntimeException e) {
            log.debug("{} steps could not be moved together, so one by one", steps.size(), e);
        }
        Set<StepKey> left = new LinkedHashSet<>(steps);
        moved.forEach(step -> left.remove(step.key()));
        left.forEach(step -> moved.addAll(moveApart(step)));
        return moved;
    }

    /** A step with many jobs, or one of a part that failed: it must not keep the others. The sweep tries it again. */
    private List<MovedStep> moveApart(StepKey step) {
        try {
            long behind = 0;
            Moved some;
            do {
                some = move.run(List.of(step), behind, CHUNK);
                tell(some);
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

    /** Notes which have ended. One that is a job of another lets that one go on. */
    private void endAll(Collection<Long> workflows) {
        List<Long> changed = workflows.isEmpty() ? List.of() : end.run(workflows);
        changed.forEach(wakeups::workflowEnded); // or it runs again: whoever waits looks
        if (!changed.isEmpty()) {
            goOn(mark.heard(changed.stream().map(id -> -id).toList()));
        }
    }

    private void tell(Moved moved) {
        for (MoveSteps.Ready ready : moved.ready()) {
            if (ready.keys()) {
                wakeups.keysReady(ready.queue());
            }
            wakeups.jobsReady(ready.queue(), ready.rank(), ready.jobs());
        }
        Duration nextDue = moved.nextDue();
        if (nextDue != null) {
            wakeups.jobsWaiting(nextDue);
        }
    }

    private static Set<Long> workflows(Collection<StepKey> steps) {
        Set<Long> workflows = new LinkedHashSet<>();
        steps.forEach(step -> workflows.add(step.workflow()));
        return workflows;
    }

    private static List<List<StepKey>> parts(Collection<StepKey> steps) {
        List<StepKey> all = List.copyOf(steps);
        List<List<StepKey>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += STEPS) {
            parts.add(all.subList(from, Math.min(all.size(), from + STEPS)));
        }
        return parts;
    }
}
