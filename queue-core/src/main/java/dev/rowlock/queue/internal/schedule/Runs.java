package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.internal.schedule.FireSchedules.Tick;
import dev.rowlock.queue.schedule.MissedRuns;
import dev.rowlock.queue.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Computes which runs of a recurring job are due now, and when the next one is. */
final class Runs {

    /** So far the last run is looked for, at first; then twice as far each time. */
    private static final Duration FIRST_STEP = Duration.ofMinutes(1);

    /** The last time there is, for those that have no time to come. */
    static final Instant NEVER = Instant.parse("9999-12-31T00:00:00Z");

    private final StoredSchedule stored;
    private final Schedule schedule;
    private final Instant now;

    private Runs(StoredSchedule stored, Schedule schedule, Instant now) {
        this.stored = stored;
        this.schedule = schedule;
        this.now = now;
    }

    /**
     * What to do with one that is due, or has a run that waited.
     *
     * @throws IllegalArgumentException if its schedule cannot be read
     */
    static Tick due(StoredSchedule stored, Instant now) {
        Runs runs = new Runs(stored, stored.timing().schedule(), now);
        List<Instant> queued = stored.queuedAt() == null ? List.of() : List.of(stored.queuedAt());
        if (!runs.isDue(stored.nextAt())) {
            return runs.tick(queued, stored.nextAt());
        }
        Instant last = runs.lastDue();
        List<Instant> due = runs.takingPlace(last);
        return runs.tick(due.isEmpty() ? queued : due, runs.after(last));
    }

    /** The first run after this time. */
    static Instant first(Schedule schedule, Instant after) {
        Instant next = schedule.next(after);
        return next != null ? next : NEVER;
    }

    private Tick tick(List<Instant> runs, Instant next) {
        return new Tick(stored, runs, next, putOff(next));
    }

    private List<Instant> takingPlace(Instant last) {
        return switch (stored.missed().policy()) {
            case SKIP -> putOff(last).plus(MissedRuns.GRACE).isBefore(now) ? List.of() : List.of(last);
            case RUN_ONCE -> List.of(last);
            case RUN_ALL -> newest(last);
        };
    }

    /** Of the runs from the due one to the last one, the newest ones, oldest first. What is not late is not too old. */
    private List<Instant> newest(Instant last) {
        MissedRuns missed = stored.missed();
        Duration window = missed.window().compareTo(MissedRuns.GRACE) > 0 ? missed.window() : MissedRuns.GRACE;
        Instant oldest = later(stored.nextAt(), now.minus(window).minus(stored.jitter()));
        List<Instant> runs;
        Instant from;
        Duration step = FIRST_STEP;
        do {
            from = later(oldest, last.minus(step));
            runs = between(from, last);
            step = step.multipliedBy(2);
        } while (runs.size() < missed.most() && from.isAfter(oldest));
        return List.copyOf(runs.subList(Math.max(0, runs.size() - missed.most()), runs.size()));
    }

    private List<Instant> between(Instant from, Instant last) {
        List<Instant> runs = new ArrayList<>();
        for (Instant run = after(from.minusNanos(1)); !run.isAfter(last); run = after(run)) {
            runs.add(run);
        }
        return runs;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /** The last run that is due. It is looked for from now backwards, for there may be millions since the first one. */
    private Instant lastDue() {
        Instant last = stored.nextAt();
        for (Duration step = FIRST_STEP; ; step = step.multipliedBy(2)) {
            Instant from = now.minus(stored.jitter()).minus(step);
            if (!from.isAfter(stored.nextAt())) {
                break;
            }
            Instant run = after(from);
            if (isDue(run)) {
                last = run;
                break;
            }
        }
        for (Instant run = after(last); isDue(run); run = after(run)) {
            last = run;
        }
        return last;
    }

    private boolean isDue(@Nullable Instant run) {
        return run != null && !putOff(run).isAfter(now);
    }

    private Instant after(Instant run) {
        return first(schedule, run);
    }

    private Instant putOff(Instant run) {
        return putOff(stored.name(), run, stored.jitter());
    }

    /** The time of a run, put off by a part of the jitter that is always the same for this run. */
    static Instant putOff(String name, Instant run, Duration jitter) {
        if (jitter.isZero()) {
            return run;
        }
        long seed = name.hashCode() * 0x9E3779B97F4A7C15L + run.toEpochMilli();
        // Neighbours must not get neighbouring parts: the last steps of a hash (Stafford's variant 13, as in
        // SplittableRandom).
        seed = (seed ^ (seed >>> 30)) * 0xBF58476D1CE4E5B9L;
        seed = (seed ^ (seed >>> 27)) * 0x94D049BB133111EBL;
        return run.plusMillis(Math.floorMod(seed ^ (seed >>> 31), jitter.toMillis() + 1));
    }
}
