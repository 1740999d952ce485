package dev.rowlock.queue.settings;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;
import java.util.Map;

/**
 * How long a job that may run may wait before its queue counts as late.
 *
 * @param usual for all queues that are not named; a second or more
 * @param queues for single queues, by name, such as those whose jobs may wait until the next day
 */
public record LateAfter(Duration usual, Map<String, Duration> queues) {

    /** Five minutes for each queue. */
    public static final LateAfter DEFAULT = new LateAfter(Duration.ofMinutes(5), Map.of());

    public LateAfter {
        queues = Map.copyOf(queues);
        require("late-after", usual);
        queues.forEach((queue, time) -> require("late-after of queue '%s'".formatted(queue), time));
    }

    private static void require(String what, Duration time) {
        if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(Duration.ofDays(36_500)) > 0) {
            throw new IllegalArgumentException(
                    "%s is %s; it must lie between 1 s and 36500 d".formatted(what, DurationText.of(time)));
        }
    }
}
