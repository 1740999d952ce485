package dev.rowlock.queue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of a queue were in one room when one node last measured for all.
 *
 * @param room {@code waiting}, {@code ready}, {@code running} or {@code dead}
 * @param oldest how long the longest-waiting job had been runnable at the measurement; null where that says nothing
 * @param age how old the measurement is
 */
public record QueueDepth(
        String queue, String room, long jobs, @Nullable Duration oldest, Duration age) {}
