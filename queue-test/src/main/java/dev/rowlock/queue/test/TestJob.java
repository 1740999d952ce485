package dev.rowlock.queue.test;

import dev.rowlock.queue.job.JobState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A job of the running test, as it is now.
 *
 * @param priority larger is more urgent
 * @param attempt how many attempts were made that count
 * @param delay how long after its enqueue it is due, or was; null: it has ended
 * @param payload JSON
 * @param error its last error, the exception's class and message; null: none
 */
public record TestJob(
        long id,
        String type,
        String queue,
        JobState state,
        @Nullable String key,
        int priority,
        int attempt,
        @Nullable Duration delay,
        String payload,
        @Nullable String error) {

    private static final int LONG = 200;

    @Override
    public String toString() {
        return "job %d: %s on queue '%s', %s%s%s, attempts %d, payload %s%s"
                .formatted(
                        id,
                        type,
                        queue,
                        state.label(),
                        key == null ? "" : ", key '" + key + "'",
                        state == JobState.WAITING && delay != null ? ", due " + delay + " after its enqueue" : "",
                        attempt,
                        shortened(payload),
                        error == null ? "" : ", last error " + shortened(error));
    }

    private static String shortened(String text) {
        return text.length() <= LONG ? text : text.substring(0, LONG) + "…";
    }
}
