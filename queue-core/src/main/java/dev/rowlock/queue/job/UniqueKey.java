package dev.rowlock.queue.job;

import java.time.Duration;

/**
 * A name for what a job is to do, such as {@code order-42}. At most one job of a type holds a key at a time: from its
 * enqueue until it has ended (completed, cancelled or dead), and for at least {@code atLeast} after it was enqueued.
 * While a job holds a key, enqueueing another one of its type with that key enqueues nothing.
 *
 * <p>Keys are compared character by character. Different types may use the same key.
 *
 * @param value 1 to {@value #MAX_LENGTH} characters
 * @param atLeast how long the key is held even if the job ends earlier, in whole milliseconds on the database's clock;
 *     zero to 365 days. It must outlast whoever tries again after a commit that nobody can know about.
 */
public record UniqueKey(String value, Duration atLeast) {

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
                    .formatted(atLeast, quoted(value), MAX_AT_LEAST));
        }
    }

    /** A key that is free as soon as its job has ended. */
    public static UniqueKey of(String value) {
        return new UniqueKey(value, Duration.ZERO);
    }

    /** The same key, held for at least this long after the job was enqueued. */
    public UniqueKey atLeast(Duration time) {
        return new UniqueKey(value, time);
    }

    @Override
    public String toString() {
        return quoted(value) + (atLeast.isZero() ? "" : " for at least " + atLeast);
    }

    /** PostgreSQL's text has no NUL, and UTF-8 no half of a surrogate pair: two such keys could become one. */
    private static void requireStorable(String value) {
        for (int i = 0; i < value.length(); i += Character.charCount(value.codePointAt(i))) {
            int point = value.codePointAt(i);
            if (point == 0 || (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)) {
                throw new IllegalArgumentException(
                        "unique key %s has U+%04X at %d: neither NUL nor unpaired surrogates are allowed"
                                .formatted(quoted(value), point, i));
            }
        }
    }

    /** Without what would break a line of a log. */
    private static String quoted(String value) {
        return "'" + value.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?") + "'";
    }
}
