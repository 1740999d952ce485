package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.schedule.CronSchedule;
import dev.rowlock.queue.schedule.FixedRate;
import dev.rowlock.queue.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as three columns, of which a cron expression fills the first two and a fixed rate the third.
 *
 * @param everyMillis milliseconds
 */
record Timing(
        @Nullable String cron,
        @Nullable String zone,
        @Nullable Long everyMillis) {

    public static Timing of(Schedule schedule) {
        if (schedule instanceof CronSchedule cron) {
            return new Timing(cron.expression(), cron.zone().getId(), null);
        }
        return new Timing(null, null, ((FixedRate) schedule).interval().toMillis());
    }

    /** @throws IllegalArgumentException if the row was written by hand, or by a version that knows more than this one */
    public Schedule schedule() {
        if (cron != null && zone != null) {
            return Schedule.cron(cron, zone);
        }
        if (everyMillis != null) {
            return Schedule.every(Duration.ofMillis(everyMillis));
        }
        throw new IllegalArgumentException("there is neither a cron expression with its zone nor a rate");
    }

    /** The time of a run, put off by a part of the jitter that is always the same for this run. */
    public static Instant putOff(String name, Instant run, Duration jitter) {
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
