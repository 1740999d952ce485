package dev.rowlock.queue.schedule;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;
import java.time.Instant;

/** Multiples of an interval since the beginning of 1970. */
public record FixedRate(Duration interval) implements Schedule {

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(366);

    public FixedRate {
        if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("a fixed rate of %s is out of range: it must lie between %s and %s"
                    .formatted(DurationText.of(interval), DurationText.of(SHORTEST), DurationText.of(LONGEST)));
        }
        if (interval.toNanosPart() % 1_000_000 != 0) {
            throw new IllegalArgumentException(
                    "a fixed rate of %s is too fine: name whole milliseconds".formatted(DurationText.of(interval)));
        }
    }

    @Override
    public Instant next(Instant after) {
        long step = interval.toMillis();
        return Instant.ofEpochMilli((Math.floorDiv(after.toEpochMilli(), step) + 1) * step);
    }

    @Override
    public String toString() {
        return "every " + interval;
    }
}
