package dev.rowlock.queue.gate;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How many jobs may begin in a time, over all nodes: {@code Rate.perMinute(100).burst(20)}, or {@code 100/min burst 20} in configuration.
 *
 * <p>Jobs begin evenly: 100 a minute is one each 600 ms, not 100 at the start of each minute. What is not used is lost, except for the burst. It is the
 * <a href="https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm">generic cell rate algorithm</a>, by the database's clock.
 *
 * @param jobs how many, at least 1
 * @param per in this time, 1 ms to 31 days
 * @param burst so many may begin at once after a pause, at least 1; by default as many as the rate allows in 100 ms
 */
public record Rate(int jobs, Duration per, int burst) {

    private static final Duration LONGEST = Duration.ofDays(31);

    private static final Duration SMOOTH = Duration.ofMillis(100);

    private static final Pattern TEXT =
            Pattern.compile("(\\d{1,9})\\s*/\\s*(\\d{0,9})\\s*(ms|s|m|min|h|d)(?:\\s+burst\\s+(\\d{1,9}))?");

    public Rate {
        requirePositive("jobs", jobs);
        requirePositive("burst", burst);
        if (per.compareTo(Duration.ofMillis(1)) < 0 || per.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "a rate per %s is not allowed: 1 ms to 31 days".formatted(DurationText.of(per)));
        }
    }

    /** So many in this time. */
    public static Rate of(int jobs, Duration per) {
        requirePositive("jobs", jobs);
        long atOnce = -Math.floorDiv(-jobs * SMOOTH.toMillis(), Math.max(1, per.toMillis()));
        return new Rate(jobs, per, (int) Math.min(jobs, atOnce));
    }

    public static Rate perSecond(int jobs) {
        return of(jobs, Duration.ofSeconds(1));
    }

    public static Rate perMinute(int jobs) {
        return of(jobs, Duration.ofMinutes(1));
    }

    public static Rate perHour(int jobs) {
        return of(jobs, Duration.ofHours(1));
    }

    /** So many at once after a pause. */
    public Rate burst(int most) {
        return new Rate(jobs, per, most);
    }

    /**
     * Reads what {@link #toString} writes: {@code 10/s}, {@code 100/min burst 20}, {@code 5/15s}; units are ms, s, m or min, h and d.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    public static Rate valueOf(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'%s' is no rate: write '10/s', '100/min', '5/15s' or '100/min burst 20'; units are ms, s, min, h and d"
                            .formatted(text));
        }
        int times = matcher.group(2).isEmpty() ? 1 : Integer.parseInt(matcher.group(2));
        Duration per = Duration.ofMillis(Unit.of(matcher.group(3)).millis * times);
        Rate rate = of(Integer.parseInt(matcher.group(1)), per);
        return matcher.group(4) == null ? rate : rate.burst(Integer.parseInt(matcher.group(4)));
    }

    /** As in configuration: {@code 10/s}, {@code 5/15s}, {@code 100/min burst 20}; without the burst where that is the default. */
    @Override
    public String toString() {
        long millis = per.toMillis();
        Unit unit = Stream.of(Unit.values())
                .filter(each -> millis % each.millis == 0)
                .findFirst()
                .orElseThrow();
        long times = millis / unit.millis;
        boolean usual = burst == of(jobs, per).burst;
        return jobs + "/" + (times == 1 ? "" : times) + unit.text + (usual ? "" : " burst " + burst);
    }

    /** The largest first. */
    private enum Unit {
        DAYS("d", Duration.ofDays(1)),
        HOURS("h", Duration.ofHours(1)),
        MINUTES("min", Duration.ofMinutes(1)),
        SECONDS("s", Duration.ofSeconds(1)),
        MILLIS("ms", Duration.ofMillis(1));

        private final String text;
        private final long millis;

        Unit(String text, Duration time) {
            this.text = text;
            this.millis = time.toMillis();
        }

        static Unit of(String text) {
            return Stream.of(values())
                    .filter(unit -> unit.text.equals(text))
                    .findFirst()
                    .orElse(MINUTES); // m
        }
    }

    private static void requirePositive(String what, int number) {
        if (number < 1) {
            throw new IllegalArgumentException(
                    "a rate with %d %s is not allowed: it is at least 1; to run nothing, pause the queue"
                            .formatted(number, what));
        }
    }
}
