package dev.rowlock.queue.search;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * From one moment until another, on the database's clock.
 *
 * @param from the first moment in it; null: no lower bound
 * @param until the first moment behind it; null: no upper bound
 */
public record TimeRange(@Nullable Instant from, @Nullable Instant until) {

    /** The years that PostgreSQL and all parts between know. */
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    public TimeRange {
        if (from == null && until == null) {
            throw new IllegalArgumentException("a time range without bounds holds all times: name from, until or both");
        }
        if (from != null && until != null && !from.isBefore(until)) {
            throw new IllegalArgumentException(
                    "the time range from %s until %s is empty: until must lie behind from".formatted(from, until));
        }
        requireStorable(from);
        requireStorable(until);
    }

    /** This moment and all later ones. */
    public static TimeRange from(Instant moment) {
        return new TimeRange(moment, null);
    }

    /** All moments before this one. */
    public static TimeRange until(Instant moment) {
        return new TimeRange(null, moment);
    }

    /** {@code from} and all later moments before {@code until}. */
    public static TimeRange between(Instant from, Instant until) {
        return new TimeRange(from, until);
    }

    @Override
    public String toString() {
        return (from == null ? "" : from) + ".." + (until == null ? "" : until);
    }

    private static void requireStorable(@Nullable Instant bound) {
        if (bound != null && (bound.isBefore(EARLIEST) || bound.isAfter(LATEST))) {
            throw new IllegalArgumentException(
                    "the time %s must lie between %s and %s".formatted(bound, EARLIEST, LATEST));
        }
    }
}
