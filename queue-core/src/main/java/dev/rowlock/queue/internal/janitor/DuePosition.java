package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.db.Columns;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/**
 * A place in the order in which waiting jobs are due: the key of the index that the dispatcher reads.
 *
 * @param dueAtMicros since 1970, by the server's clock
 */
public record DuePosition(long dueAtMicros, long id) implements Comparable<DuePosition> {

    private static final long BEGINNING_OF_TIME = Long.MIN_VALUE;

    /** Before every job. */
    public static final DuePosition FRONT = new DuePosition(BEGINNING_OF_TIME, 0);

    static DuePosition of(double epochSeconds, long id) {
        return new DuePosition(Columns.micros(epochSeconds), id);
    }

    /** Behind every job that is due by then. */
    static DuePosition atEndOf(double epochSeconds) {
        return of(epochSeconds, Long.MAX_VALUE);
    }

    /** Before all jobs that are due from so much earlier on; negative: later. */
    public DuePosition earlier(Duration by) {
        return dueAtMicros == BEGINNING_OF_TIME ? this : new DuePosition(dueAtMicros - by.toNanos() / 1_000, 0);
    }

    /** Of a place that is not the front. */
    public Instant time() {
        return Instant.EPOCH.plus(dueAtMicros, ChronoUnit.MICROS);
    }

    /** As a parameter of type {@code timestamptz}. */
    OffsetDateTime dueAt() {
        return dueAtMicros == BEGINNING_OF_TIME ? OffsetDateTime.MIN : time().atOffset(ZoneOffset.UTC);
    }

    @Override
    public int compareTo(DuePosition other) {
        int byTime = Long.compare(dueAtMicros, other.dueAtMicros);
        return byTime != 0 ? byTime : Long.compare(id, other.id);
    }
}
