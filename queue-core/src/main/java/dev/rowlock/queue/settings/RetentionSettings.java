package dev.rowlock.queue.settings;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long ended jobs are kept.
 *
 * @param done completed and cancelled jobs, to the day (partitions are dropped whole); zero keeps none, and completing
 *     a job is then a plain delete
 * @param dead failed and quarantined jobs; null keeps them until somebody redrives or discards them
 */
public record RetentionSettings(Duration done, @Nullable Duration dead) {

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
    }

    public boolean keepsDone() {
        return !done.isZero();
    }
}
