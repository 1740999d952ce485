package dev.rowlock.queue.schedule;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * The times of a cron expression in a zone.
 *
 * <p>Spring's {@link CronExpression} says which times of the clock are meant; it is asked for clock times without a zone. What a
 * change of the clock does to them is decided here, as cron of most Linux distributions does it: {@link
 * Schedule#cron(String, ZoneId)} says how.
 */
public final class CronSchedule implements Schedule {

    private static final Set<String> OF_EACH_HOUR = Set.of("@hourly");

    private static final int HOUR = 2;

    private final String expression;
    private final ZoneId zone;
    private final CronExpression clock;
    private final boolean intervals;

    CronSchedule(String expression, ZoneId zone) {
        this.expression = expression.strip();
        this.zone = zone;
        try {
            this.clock = CronExpression.parse(this.expression);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "cron expression '%s' does not parse: %s; six fields are expected, second minute hour day month weekday"
                            .formatted(this.expression, e.getMessage()),
                    e);
        }
        this.intervals = intervals(this.expression);
        if (clock.next(LocalDateTime.of(2000, 1, 1, 0, 0)) == null) {
            throw new IllegalArgumentException(
                    "cron expression '%s' never fires: there is no such date".formatted(this.expression));
        }
    }

    static ZoneId zone(String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "there is no time zone '%s': name one such as Europe/Berlin, or UTC".formatted(name), e);
        }
    }

    /** Whether the hours are counted rather than named. */
    private static boolean intervals(String expression) {
        String[] fields = expression.split("\\s+");
        return fields.length > HOUR ? fields[HOUR].startsWith("*") : OF_EACH_HOUR.contains(expression);
    }

    public String expression() {
        return expression;
    }

    public ZoneId zone() {
        return zone;
    }

    @Override
    public @Nullable Instant next(Instant after) {
        ZoneOffset offset = zone.getRules().getOffset(after);
        LocalDateTime from = beyondRepetition(LocalDateTime.ofInstant(after, offset), after);
        ZoneOffsetTransition change = zone.getRules().nextTransition(after);
        while (true) {
            LocalDateTime time = clock.next(from);
            if (time == null) {
                return null;
            }
            if (change == null || time.isBefore(change.getDateTimeBefore())) {
                return time.toInstant(offset);
            }
            // The clock changes first. What it skips or repeats decides where to go on.
            if (change.isGap() && !intervals && time.isBefore(change.getDateTimeAfter())) {
                return change.getInstant();
            }
            from = justBefore(resumption(change));
            offset = change.getOffsetAfter();
            change = zone.getRules().nextTransition(change.getInstant());
        }
    }

    /** Where the clock shows times for the second time, hours that are named begin behind them. */
    private LocalDateTime beyondRepetition(LocalDateTime time, Instant after) {
        ZoneOffsetTransition last = zone.getRules().previousTransition(after.plusNanos(1));
        boolean repeated =
                !intervals && last != null && last.isOverlap() && time.isBefore(justBefore(last.getDateTimeBefore()));
        return repeated ? justBefore(last.getDateTimeBefore()) : time;
    }

    /** From where on times of the clock count again, by its new offset. */
    private LocalDateTime resumption(ZoneOffsetTransition change) {
        // Hours that are named have been there once already when the clock shows them again.
        return change.isOverlap() && !intervals ? change.getDateTimeBefore() : change.getDateTimeAfter();
    }

    private static LocalDateTime justBefore(LocalDateTime time) {
        return time.minusNanos(1);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CronSchedule cron && expression.equals(cron.expression) && zone.equals(cron.zone);
    }

    @Override
    public int hashCode() {
        return expression.hashCode() * 31 + zone.hashCode();
    }

    @Override
    public String toString() {
        return "cron '%s' in %s".formatted(expression, zone);
    }
}
