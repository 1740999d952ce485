package dev.rowlock.queue.settings;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long ended jobs are kept.
 *
 * @param done completed and cancelled jobs, to the day (partitions are dropped whole); zero keeps none, and completing
 *     a job is then a plain delete; at most {@link #LONGEST}
 * @param dead failed and quarantined jobs; null keeps them until somebody redrives or discards them; else at most
 *     {@link #LONGEST}
 */
public record RetentionSettings(Duration done, @Nullable Duration dead) {

    /** A hundred years. The database knows no time that lies some thousand years back. */
    public static final Duration LONGEST = Duration.ofDays(36_500);

    /** Done jobs for seven days, dead ones until somebody decides. */
    public static final RetentionSettings DEFAULT = new RetentionSettings(Duration.ofDays(7), null);

    public RetentionSettings {
        if (done.isNegative() || (!done.isZero() && done.compareTo(Duration.ofDays(1)) < 0)) {
            throw new IllegalArgumentException(
                    "retention of done jobs %s must be zero (keep none) or at least one day".formatted(done));
        }
        if (dead != null && (dead.isNegative() || dead.isZero())) {
            throw new IllegalArgumentException("retention of dead jobs %s must be positive".formatted(dead));
        }
        requireNoLongerThanLongest("done", done);
        if (dead != null) {
            requireNoLongerThanLongest("dead", dead);
        }
    }

    private static void requireNoLongerThanLongest(String which, Duration time) {
        if (time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "retention of %s jobs %s must be at most %d days".formatted(which, time, LONGEST.toDays()));
        }
    }

    public boolean keepsDone() {
        return !done.isZero();
    }
}
