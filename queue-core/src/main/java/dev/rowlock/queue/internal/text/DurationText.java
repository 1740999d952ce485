package dev.rowlock.queue.internal.text;

import java.time.Duration;

/** Durations as people write them: {@code 30s}, {@code 300ms}, {@code 1m30s}, and not {@code PT30S}. */
public final class DurationText {

    private DurationText() {}

    /** Exact: each unit that is not zero, from days to nanoseconds. */
    public static String of(Duration duration) {
        if (duration.isZero()) {
            return "0s";
        }
        if (duration.isNegative()) {
            // The lowest of all has no opposite.
            return duration.getSeconds() == Long.MIN_VALUE ? duration.toString() : "-" + of(duration.negated());
        }
        StringBuilder text = new StringBuilder();
        add(text, duration.toDaysPart(), "d");
        add(text, duration.toHoursPart(), "h");
        add(text, duration.toMinutesPart(), "m");
        add(text, duration.toSecondsPart(), "s");
        add(text, duration.toMillisPart(), "ms");
        add(text, duration.toNanosPart() / 1_000 % 1_000, "us");
        add(text, duration.toNanosPart() % 1_000, "ns");
        return text.toString();
    }

    /** For people, in the two largest units: {@code 12 min}, {@code 1 h 5 min}, {@code 3 d}; below a minute, {@code 42 s}. */
    public static String rough(Duration duration) {
        if (duration.toMinutes() == 0) {
            return duration.toSeconds() + " s";
        }
        if (duration.toHours() == 0) {
            return duration.toMinutes() + " min";
        }
        return duration.toDays() == 0
                ? joined(duration.toHours(), "h", duration.toMinutesPart(), "min")
                : joined(duration.toDays(), "d", duration.toHoursPart(), "h");
    }

    private static String joined(long large, String largeUnit, long small, String smallUnit) {
        return large + " " + largeUnit + (small == 0 ? "" : " " + small + " " + smallUnit);
    }

    private static void add(StringBuilder text, long number, String unit) {
        if (number != 0) {
            text.append(number).append(unit);
        }
    }
}
