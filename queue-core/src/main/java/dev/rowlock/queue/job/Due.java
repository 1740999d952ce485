package dev.rowlock.queue.job;

import dev.rowlock.queue.internal.text.DurationText;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When a job becomes runnable: some time from now by the <em>database's</em> clock, or at a given instant. Exactly one of the two is set.
 */
public record Due(@Nullable Duration after, @Nullable Instant at) implements Serializable {

    /** The longest delay: 100 years. Anything above is a slip of units. */
    public static final Duration MAX_DELAY = Duration.ofDays(36_500);

    public Due {
        if ((after == null) == (at == null)) {
            throw new IllegalArgumentException("a job is due either after a delay or at an instant: give exactly one");
        }
        if (after != null && (after.isNegative() || after.compareTo(MAX_DELAY) > 0)) {
            throw new IllegalArgumentException("delay %s is out of range: it must lie between 0 and %s"
                    .formatted(DurationText.of(after), DurationText.of(MAX_DELAY)));
        }
        if (at != null && (at.isBefore(Instant.EPOCH) || at.getEpochSecond() > 9_000_000_000L)) {
            throw new IllegalArgumentException(
                    "run-at %s is out of range: it must lie between 1970 and 2255".formatted(at));
        }
    }

    /** Due once this time has passed on the database's clock. */
    public static Due after(Duration delay) {
        return new Due(delay, null);
    }

    /** Due when the database's clock reaches this instant. */
    public static Due at(Instant instant) {
        return new Due(null, instant);
    }
}
