package dev.rowlock.queue.job;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;

/**
 * A name for what a job is to do, such as {@code order-42}. At most one job of a type holds a key at a time. While a job holds
 * it, a request for another one of its type with that key makes no second job of the same work. The key of each request says
 * two things: until when the job that holds it counts ({@link Until}), and what the request does to it ({@link OnConflict}).
 *
 * <p>Keys are compared character by character. Different types may use the same key.
 *
 * <pre>{@code
 * UniqueKey.of("order-42")                                       // one at a time; later requests are dropped
 * UniqueKey.of("order-42").atLeast(Duration.ofHours(1))          // the same, and for an hour after the enqueue
 * UniqueKey.of("digest").within(Duration.ofHours(1))             // once an hour
 * UniqueKey.of("index-7").untilStarted().replacing()             // the newest payload runs
 * UniqueKey.of("draft-7").postponing(Duration.ofMinutes(5))      // debounce: give the job a delay
 * UniqueKey.of("sync-7").onceMore()                              // if it runs, once more afterwards
 * }</pre>
 *
 * @param value 1 to {@value #MAX_LENGTH} characters
 * @param atLeast how long the key is held even if the job ends earlier, in whole milliseconds on the database's clock; with
 *     {@link Until#PERIOD} how long it is held at all. Zero to 365 days, and zero unless the job is kept. It must outlast
 *     whoever tries again after a commit that nobody can know about.
 * @param longestWait only with {@link OnConflict#POSTPONE}, otherwise zero: the longest time between the enqueue of the job and
 *     its due time, 1 ms to 365 days
 */
public record UniqueKey(String value, Duration atLeast, Until until, OnConflict onConflict, Duration longestWait) {

    /** Until when a job holds its key. */
    public enum Until {
        /** Until it has ended: completed, cancelled or dead. */
        ENDED,
        /** Until its first attempt begins. A job that failed and is tried again holds none. */
        STARTED,
        /** For the period that {@code atLeast} says after its enqueue, whatever becomes of it. */
        PERIOD
    }

    /** What a request does when a job holds its key. */
    public enum OnConflict {
        /** Nothing: the job stays as it is. */
        KEEP,
        /** Gives the job this request's payload and options. Fails with {@link KeyHolderStartedException} if it has started. */
        REPLACE,
        /** The same, and pushes back its due time by the request's delay. If it has started, a further job runs after its end. */
        POSTPONE,
        /** Gives the job this request's payload and options. If it has started, exactly one further job runs after its end. */
        ONCE_MORE
    }

    /** The longest key, in characters. */
    public static final int MAX_LENGTH = 255;

    /** The longest {@code atLeast}: 365 days. */
    public static final Duration MAX_AT_LEAST = Duration.ofDays(365);

    public UniqueKey {
        if (value.isEmpty() || value.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("a unique key of %d characters is not allowed: it has 1 to %d"
                    .formatted(value.length(), MAX_LENGTH));
        }
        requireStorable(value);
        if (atLeast.isNegative() || atLeast.compareTo(MAX_AT_LEAST) > 0) {
            throw new IllegalArgumentException("at-least %s of unique key %s must lie between 0 and %s"
                    .formatted(DurationText.of(atLeast), quoted(value), DurationText.of(MAX_AT_LEAST)));
        }
        requireSense(value, atLeast, until, onConflict);
        requireLongestWait(value, onConflict, longestWait);
    }

    /** A key that is held until its job has ended, and at least so long. */
    public UniqueKey(String value, Duration atLeast) {
        this(value, atLeast, Until.ENDED, OnConflict.KEEP, Duration.ZERO);
    }

    /** A key that is free as soon as its job has ended. */
    public static UniqueKey of(String value) {
        return new UniqueKey(value, Duration.ZERO);
    }

    /** The same key, held for at least this long after the job was enqueued. */
    public UniqueKey atLeast(Duration time) {
        return new UniqueKey(value, time, until, onConflict, longestWait);
    }

    /** The same key, held only until the job's first attempt begins. */
    public UniqueKey untilStarted() {
        return new UniqueKey(value, atLeast, Until.STARTED, onConflict, longestWait);
    }

    /** The same key, held for this period after the job was enqueued, whether it has ended or not; more than zero. */
    public UniqueKey within(Duration period) {
        return new UniqueKey(value, period, Until.PERIOD, onConflict, longestWait);
    }

    /** The same key; a request replaces payload and options of a job that has not started. */
    public UniqueKey replacing() {
        return new UniqueKey(value, atLeast, until, OnConflict.REPLACE, Duration.ZERO);
    }

    /**
     * The same key; each request replaces payload and options of a job that is not due yet, and pushes its due time back.
     *
     * @param longestWait after the job was enqueued: it is due then at the latest; not shorter than the jobs' delay
     */
    public UniqueKey postponing(Duration longestWait) {
        return new UniqueKey(value, atLeast, until, OnConflict.POSTPONE, longestWait);
    }

    /** The same key; if the job that holds it has started, one further job runs after its end. */
    public UniqueKey onceMore() {
        return new UniqueKey(value, atLeast, until, OnConflict.ONCE_MORE, Duration.ZERO);
    }

    @Override
    public String toString() {
        return quoted(value)
                + switch (until) {
                    case ENDED -> atLeast.isZero() ? "" : " for at least " + DurationText.of(atLeast);
                    case STARTED ->
                        " until started" + (atLeast.isZero() ? "" : ", for at least " + DurationText.of(atLeast));
                    case PERIOD -> " within " + DurationText.of(atLeast);
                }
                + switch (onConflict) {
                    case KEEP -> "";
                    case REPLACE -> ", replacing";
                    case POSTPONE -> ", postponing for up to " + DurationText.of(longestWait);
                    case ONCE_MORE -> ", once more";
                };
    }

    private static void requireSense(String value, Duration atLeast, Until until, OnConflict onConflict) {
        if (until == Until.PERIOD && atLeast.isZero()) {
            throw new IllegalArgumentException(
                    "a period of 0 for unique key %s is not allowed: it must lie between 1 ms and %s"
                            .formatted(quoted(value), DurationText.of(MAX_AT_LEAST)));
        }
        if (onConflict != OnConflict.KEEP && !atLeast.isZero()) {
            throw new IllegalArgumentException(
                    "unique key %s is held for %s even if its job has ended, so there may be no job to change: with a period, only keeping is allowed, not %s"
                            .formatted(quoted(value), DurationText.of(atLeast), onConflict));
        }
        if (onConflict == OnConflict.ONCE_MORE && until == Until.STARTED) {
            throw new IllegalArgumentException(
                    "unique key %s is held until its job has started, so nothing can run once more after it: leave out untilStarted()"
                            .formatted(quoted(value)));
        }
    }

    private static void requireLongestWait(String value, OnConflict onConflict, Duration longestWait) {
        if (onConflict != OnConflict.POSTPONE) {
            if (!longestWait.isZero()) {
                throw new IllegalArgumentException("a longest wait %s of unique key %s needs postponing, not %s"
                        .formatted(DurationText.of(longestWait), quoted(value), onConflict));
            }
        } else if (longestWait.compareTo(Duration.ofMillis(1)) < 0 || longestWait.compareTo(MAX_AT_LEAST) > 0) {
            throw new IllegalArgumentException("longest wait %s of unique key %s must lie between 1 ms and %s"
                    .formatted(DurationText.of(longestWait), quoted(value), DurationText.of(MAX_AT_LEAST)));
        }
    }

    private static void requireStorable(String value) {
        KeyText.requireStorable("unique key", value);
    }

    private static String quoted(String value) {
        return KeyText.quoted(value);
    }
}
