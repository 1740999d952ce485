package dev.rowlock.queue.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** When a recurring job runs. Immutable. */
public sealed interface Schedule permits CronSchedule, FixedRate {

    /** The first time after this one; null: there is none. */
    @Nullable
    Instant next(Instant after);

    /** The times after this one, at most so many. */
    default List<Instant> next(Instant after, int count) {
        List<Instant> times = new ArrayList<>();
        Instant last = after;
        while (times.size() < count && last != null) {
            last = next(last);
            if (last != null) {
                times.add(last);
            }
        }
        return List.copyOf(times);
    }

    /** As {@link #cron(String, ZoneId)}, in UTC. */
    static Schedule cron(String expression) {
        return cron(expression, ZoneId.of("UTC"));
    }

    /**
     * The times of a cron expression as Spring reads it: second, minute, hour, day of month, month, day of week; or a word
     * such as {@code @daily}. {@code 0 30 2 * * MON-FRI} is half past two on weekdays.
     *
     * <p><b>Daylight saving.</b> An expression that names its hours runs once for each time on the clock. A time that the
     * clock skips comes as soon as the skip is over, and of a time that the clock shows twice only the first one counts. So a
     * daily job runs once a day. An expression whose hour begins with {@code *} means intervals: it goes on at its pace, whatever
     * the clock shows.
     *
     * @throws IllegalArgumentException if the expression does not parse or has no time to come
     */
    static Schedule cron(String expression, ZoneId zone) {
        return new CronSchedule(expression, zone);
    }

    /**
     * As {@link #cron(String, ZoneId)}, with a zone such as {@code Europe/Berlin}.
     *
     * @throws IllegalArgumentException also if there is no such zone
     */
    static Schedule cron(String expression, String zone) {
        return cron(expression, CronSchedule.zone(zone));
    }

    /**
     * At a fixed rate, counted from the beginning of 1970: {@code 15 minutes} means each quarter of an hour, on all nodes and
     * after each restart.
     *
     * @throws IllegalArgumentException unless it is between one second and 366 days, in whole milliseconds
     */
    static Schedule every(Duration interval) {
        return new FixedRate(interval);
    }
}
