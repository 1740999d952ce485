package dev.rowlock.queue.settings;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long ended jobs are kept, and the audit table. Where nodes want different times, the longest counts for all.
 *
 * @param done completed and cancelled jobs, to the day, above 100 days to a hundredth of that time (partitions are dropped
 *     whole); with zero, completing a job is a plain delete: only jobs with a result, and those of workflows, are kept for a day;
 *     at most {@link #LONGEST}
 * @param dead dead and quarantined jobs; null keeps them until somebody redrives or discards them; else at most
 *     {@link #LONGEST}
 * @param audit lines of the audit table, and bulk actions since their end; at least one day, at most {@link #LONGEST}
 */
public record RetentionSettings(Duration done, @Nullable Duration dead, Duration audit) {

    /** A hundred years. The database knows no time that lies some thousand years back. */
    public static final Duration LONGEST = Duration.ofDays(36_500);

    /** How long the audit is kept unless somebody says otherwise. */
    public static final Duration DEFAULT_AUDIT = Duration.ofDays(90);

    /** Done jobs for seven days, dead ones until somebody decides, the audit for 90 days. */
    public static final RetentionSettings DEFAULT = new RetentionSettings(Duration.ofDays(7), null);

    /** The audit is kept for {@link #DEFAULT_AUDIT}. */
    public RetentionSettings(Duration done, @Nullable Duration dead) {
        this(done, dead, DEFAULT_AUDIT);
    }

    /** @throws IllegalArgumentException if a time is shorter or longer than allowed */
    public RetentionSettings {
        if (done.isNegative() || (!done.isZero() && done.compareTo(Duration.ofDays(1)) < 0)) {
            throw new IllegalArgumentException("retention of done jobs %s must be zero (keep none) or at least one day"
                    .formatted(DurationText.of(done)));
        }
        if (dead != null && (dead.isNegative() || dead.isZero())) {
            throw new IllegalArgumentException(
                    "retention of dead jobs %s must be positive".formatted(DurationText.of(dead)));
        }
        if (audit.compareTo(Duration.ofDays(1)) < 0) {
            throw new IllegalArgumentException(
                    "retention of the audit %s must be at least one day".formatted(DurationText.of(audit)));
        }
        requireNoLongerThanLongest("done jobs", done);
        if (dead != null) {
            requireNoLongerThanLongest("dead jobs", dead);
        }
        requireNoLongerThanLongest("the audit", audit);
    }

    private static void requireNoLongerThanLongest(String which, Duration time) {
        if (time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("retention of %s %s must be at most %d days"
                    .formatted(which, DurationText.of(time), LONGEST.toDays()));
        }
    }

    public boolean keepsDone() {
        return !done.isZero();
    }
}
