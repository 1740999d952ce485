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

    private static void add(StringBuilder text, long number, String unit) {
        if (number != 0) {
            text.append(number).append(unit);
        }
    }
}
