package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.internal.workflow.DecideSteps.Decided;
import dev.rowlock.queue.internal.workflow.FindSteps.Undecided;
import dev.rowlock.queue.internal.workflow.MoveSteps.MovedStep;
import dev.rowlock.queue.internal.workflow.NoteEnds.Noted;
import dev.rowlock.queue.internal.workflow.NoteEnds.Released;
import dev.rowlock.queue.internal.workflow.NoteEnds.Touched;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides and starts the next steps of workflows after some of their jobs have ended. Long work is done in rounds, so that other
 * workflows go on in between. One thread.
 */
final class Progress {

    private static final Logger log = LoggerFactory.getLogger(Progress.class);

    /** Steps with fewer jobs than this are moved as soon as it is decided, and otherwise together. */
    static final int FEW = 20;

    /** So many steps are decided about, or moved, by one statement. */
    private static final int STEPS = 1_000;

    /** Beyond so many steps the sweep finds those that come next. */
    private static final int MOST = 100_000;

    private final NoteEnds note;
    private final DecideSteps decide;
    private final MoveSteps.Rounds moves;
    private final EndWorkflows end;
    private final WakeupBus wakeups;
    private final Map<StepKey, Touched> ended =
            new LinkedHashMap<>(); // those behind them are decided about in the next rounds
    private Runnable trigger = () -> {};

    Progress(Database database, WakeupBus wakeups) {
        this(database, wakeups, new MoveSteps.Rounds(database, wakeups));
    }

    Progress(Database database, WakeupBus wakeups, MoveSteps.Rounds moves) {
        this.note = new NoteEnds(database);
        this.decide = new DecideSteps(database);
        this.moves = moves;
        this.end = new EndWorkflows(database);
        this.wakeups = wakeups;
    }

    /** Called when a round is to follow. */
    void triggers(Runnable run) {
        trigger = run;
    }

    /** Does a part of what is left to do. Returns whether there is more. If it fails, somebody has to look for that part. */
    boolean round() {
        List<Touched> some = ended.values().stream().limit(STEPS).toList();
        some.forEach(step -> ended.remove(step.step()));
        if (!some.isEmpty()) {
            goOn(some);
        }
        later(emptied(moves.round()));
        return unfinished();
    }

    private boolean unfinished() {
        return !ended.isEmpty() || moves.unfinished();
    }

    private void later(List<Touched> steps) {
        for (Touched step : steps) {
            if (ended.size() < MOST) {
                ended.put(step.step(), step);
            }
        }
        if (unfinished()) {
            trigger.run();
        }
    }

    /** These jobs have ended; negative ids are workflows within others. If it fails, somebody has to look at all that has ended. */
    void ended(Collection<Long> ids) {
        goOn(heard(ids));
    }

    /** Returns the steps behind which something is left to be decided. */
    private List<Touched> heard(Collection<Long> ids) {
        Noted noted;
        try {
            noted = note.andRelease(ids, FEW);
        } catch (RuntimeException e) {
            BatchSplitter.requireAnswer(e); // or it may have been done all the same, so that the sweep has to look
            log.debug("noting the ends of {} jobs together with what follows failed; noting them alone", ids.size(), e);
            return note.alone(ids);
        }
        later(emptied(moved(noted.released())));
        return noted.steps();
    }

    /** Of these steps nobody has heard that they may run, and of these workflows that they may have ended. */
    void undecided(Undecided some) {
        List<MovedStep> moved = new ArrayList<>();
        for (List<StepKey> part : parts(some.steps())) {
            moved.addAll(moved(decided(() -> decide.themselves(part, FEW), () -> decide.others(part))));
        }
        later(emptied(moved));
        endAll(some.workflows().isEmpty() ? List.of() : end.find(some.workflows()));
    }

    /** Somebody was about to move the jobs of these steps. */
    void left(List<StepKey> steps) {
        moves.tryAgain();
        later(emptied(moves.of(steps)));
        endAll(workflows(steps));
    }

    /** Jobs of this workflow were cancelled. */
    void cancelled(long workflow) {
        endAll(List.of(workflow));
    }

    private void goOn(List<Touched> touched) {
        endAll(decidedAfter(touched));
    }

    /**
     * Decides about the steps behind these, and moves their jobs. Skipped ones have ended by that: the steps behind them come in the next round. Returns
     * the workflows that may have ended, or run again.
     */
    private Set<Long> decidedAfter(List<Touched> touched) {
        Set<Long> workflows = new LinkedHashSet<>();
        List<MovedStep> moved = new ArrayList<>();
        for (List<Touched> some : parts(touched)) {
            Decided decided = decided(() -> decide.after(some, FEW), () -> decide.afterOthers(some));
            workflows.addAll(workflows(decided.ended()));
            moved.addAll(moved(decided));
        }
        moved.forEach(
                step -> workflows.remove(step.key().workflow())); // it goes on, or that is asked in the next round
        touched.stream()
                .filter(Touched::again)
                .forEach(step -> workflows.add(step.step().workflow())); // it may have ended, and runs again
        later(emptied(moved));
        return workflows;
    }

    /** A transaction of the application may keep some of them locked, for as long as it likes: these are left to the sweep, and the others go on. */
    private static <T> T decided(Supplier<T> all, Supplier<T> others) {
        try {
            return all.get();
        } catch (RuntimeException e) {
            log.debug("deciding and moving steps failed; others go first", e);
            return others.get();
        }
    }

    private List<MovedStep> moved(Decided decided) {
        return moved(decided.released());
    }

    private List<MovedStep> moved(Released released) {
        moves.tell(released.ready());
        List<MovedStep> moved = new ArrayList<>(released.steps());
        moved.addAll(moves.of(released.moving()));
        return moved;
    }

    /** Steps that have ended because there was nothing to run, or were skipped. */
    private static List<Touched> emptied(List<MovedStep> moved) {
        return moved.stream()
                .filter(MovedStep::ended)
                .map(step -> new Touched(step.key(), true, false))
                .toList();
    }

    /** Notes which have ended. One that is a job of another lets that one go on, which may end by that. */
    private void endAll(Collection<Long> workflows) {
        Collection<Long> left = workflows;
        while (!left.isEmpty()) {
            Collection<Long> some = left;
            List<Long> changed = decided(() -> end.run(some), () -> end.others(some));
            changed.forEach(wakeups::workflowEnded); // or it runs again: whoever waits looks
            left = changed.isEmpty()
                    ? List.of()
                    : decidedAfter(note.alone(changed.stream().map(id -> -id).toList()));
        }
    }

    private static Set<Long> workflows(Collection<StepKey> steps) {
        Set<Long> workflows = new LinkedHashSet<>();
        steps.forEach(step -> workflows.add(step.workflow()));
        return workflows;
    }

    static <T> List<List<T>> parts(List<T> all) {
        List<List<T>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += STEPS) {
            parts.add(all.subList(from, Math.min(all.size(), from + STEPS)));
        }
        return parts;
    }
}
