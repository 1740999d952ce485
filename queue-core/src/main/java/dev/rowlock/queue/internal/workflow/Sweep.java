package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.workflow.FindSteps.JobPosition;
import dev.rowlock.queue.internal.workflow.FindSteps.Undecided;
import dev.rowlock.queue.internal.workflow.FindSteps.Unended;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds ends and decisions that were missed: jobs that an operator cancelled, discarded or redrove, that ended as their node
 * died, or whose end its node could not pass on; and undecided steps. Walks a stretch at a time, with
 * a rest after each, unless a chore has asked for it.
 *
 * <p>One node does it for all, the others only now and then: they may be the only ones who can.
 */
final class Sweep implements Chore {

    private static final int STRETCH = 1_000;
    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final Duration INTERVAL_OF_OTHERS = Duration.ofMinutes(1);

    /** It takes no more than this share of the time, whatever there is to look at. */
    private static final int REST_PER_WORK = 20;

    private static final StepKey FIRST = new StepKey(0, -1);

    private final FindSteps find;
    private final Progress progress;
    private final OwnNode node;
    private final LongSupplier clock;
    private Runnable trigger = () -> {}; // written before the first run
    private @Nullable JobPosition jobs; // null: done with them
    private @Nullable StepKey steps;
    private StepKey left = FIRST;
    private boolean walking;
    private boolean hurried; // somebody knows that there is something to find
    private boolean again; // somebody said so when this walk had passed by, perhaps
    private final AtomicBoolean said = new AtomicBoolean(); // by somebody, since the last run
    private long begunAt; // by the clock, as the next one
    private volatile long walkedSince;

    /** @param clock monotonic nanoseconds */
    Sweep(Database database, Progress progress, OwnNode node, LongSupplier clock) {
        this.find = new FindSteps(database);
        this.progress = progress;
        this.node = node;
        this.clock = clock;
        this.walkedSince = clock.getAsLong();
    }

    @Override
    public String name() {
        return "workflow sweep";
    }

    @Override
    public boolean dueAfterChange() {
        return true;
    }

    /** What was missed is found by the next walk. Otherwise each start of a node would walk through all jobs of all workflows without a rest. */
    @Override
    public boolean dueAfterConnect() {
        return false;
    }

    @Override
    public void triggeredBy(Trigger by) {
        trigger = by::now;
    }

    @Override
    public void changed() {
        said.set(true);
    }

    /** There is something to find. */
    void soon() {
        said.set(true);
        trigger.run();
    }

    @Override
    public Duration runOnce() {
        long now = clock.getAsLong();
        boolean told = said.getAndSet(false);
        if (walking) {
            again |= told;
            hurried |= told;
        } else {
            walking = true;
            hurried = told || again;
            again = false;
            begunAt = now;
            jobs = JobPosition.FRONT;
            steps = FIRST;
            left = FIRST;
        }
        try {
            if (walk()) {
                return hurried ? Duration.ZERO : restBehind(now, Duration.ZERO);
            }
        } catch (RuntimeException e) {
            walking = false; // from the front again
            again |= hurried;
            throw e;
        }
        walking = false;
        walkedSince = begunAt;
        Duration interval = node.place().number() == 0 || !node.hearing() ? INTERVAL : INTERVAL_OF_OTHERS;
        return again ? Duration.ZERO : restBehind(hurried ? begunAt : now, interval);
    }

    private Duration restBehind(long begun, Duration interval) {
        return Chore.restBehind(Duration.ofNanos(clock.getAsLong() - begun), REST_PER_WORK, interval);
    }

    /** What ended before the walk began that was last completed has been found. */
    @Override
    public Optional<Duration> behind() {
        return Optional.of(Duration.ofNanos(clock.getAsLong() - walkedSince));
    }

    /** Returns whether there is more. */
    private boolean walk() {
        JobPosition place = jobs;
        if (place != null) {
            Unended open = find.open(place, STRETCH);
            if (!open.ids().isEmpty()) {
                progress.ended(open.ids());
            }
            jobs = open.end();
            return true;
        }
        StepKey step = steps;
        if (step != null) {
            Undecided undecided = find.undecided(step, STRETCH);
            progress.undecided(undecided);
            steps = undecided.end();
            return true;
        }
        // Once in each walk: some may stay, because the server refuses a job of theirs, or somebody keeps it locked.
        List<StepKey> moving = find.moving(left, STRETCH);
        progress.left(moving);
        if (moving.size() < STRETCH) {
            return false;
        }
        left = moving.get(STRETCH - 1);
        return true;
    }
}
