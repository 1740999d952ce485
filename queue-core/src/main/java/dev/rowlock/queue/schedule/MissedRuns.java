package dev.rowlock.queue.schedule;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;

/**
 * What becomes of runs whose time passed while no node was there to see it, or the database was away. A run that comes no more than
 * {@link #GRACE} late is not missed.
 *
 * @param most how many missed runs are made up for; only for {@link Policy#RUN_ALL}, otherwise 1
 * @param window how old a missed run may be to be made up for; only for {@link Policy#RUN_ALL}, otherwise zero
 */
public record MissedRuns(Policy policy, int most, Duration window) {

    /** What to do. */
    public enum Policy {
        /** Nothing: the next run is the next one in time. */
        SKIP,
        /** One run for all that were missed. */
        RUN_ONCE,
        /** One job for each, oldest first: the newest ones, as many and as old as allowed. */
        RUN_ALL
    }

    /** So late a run counts as on time. */
    public static final Duration GRACE = Duration.ofMinutes(1);

    public static final int MAX_RUNS = 1_000;

    /** The largest window of {@link #runAll}. */
    public static final Duration MAX_WINDOW = Duration.ofDays(31);

    public static final MissedRuns SKIP = new MissedRuns(Policy.SKIP, 1, Duration.ZERO);
    public static final MissedRuns RUN_ONCE = new MissedRuns(Policy.RUN_ONCE, 1, Duration.ZERO);

    public MissedRuns {
        if (policy != Policy.RUN_ALL && (most != 1 || !window.isZero())) {
            throw new IllegalArgumentException(
                    "a number of missed runs and a window are for RUN_ALL, not for %s".formatted(policy));
        }
        if (most < 1 || most > MAX_RUNS) {
            throw new IllegalArgumentException(
                    "%d missed runs are out of range: between 1 and %d can be made up for".formatted(most, MAX_RUNS));
        }
        if (policy == Policy.RUN_ALL
                && (window.compareTo(Duration.ofSeconds(1)) < 0 || window.compareTo(MAX_WINDOW) > 0)) {
            throw new IllegalArgumentException(
                    "a window of %s for missed runs is out of range: it must lie between one second and %s"
                            .formatted(DurationText.of(window), DurationText.of(MAX_WINDOW)));
        }
    }

    /** Makes up for the newest missed runs: so many, and no older than this. */
    public static MissedRuns runAll(int most, Duration window) {
        return new MissedRuns(Policy.RUN_ALL, most, window);
    }
}
