package dev.rowlock.queue.settings;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;

/**
 * How searches treat the database.
 *
 * @param timeLimit how long a statement of a search may take before the database stops it; 10 ms to 25 s
 */
public record SearchSettings(Duration timeLimit) {

    private static final Duration MIN = Duration.ofMillis(10);

    /** The server ends each statement of Rowlock's own after 30 s. */
    private static final Duration MAX = Duration.ofSeconds(25);

    /** Five seconds. */
    public static final SearchSettings DEFAULT = new SearchSettings(Duration.ofSeconds(5));

    public SearchSettings {
        if (timeLimit.compareTo(MIN) < 0 || timeLimit.compareTo(MAX) > 0) {
            throw new IllegalArgumentException(
                    "time limit %s of searches must lie between 10 ms and 25 s".formatted(DurationText.of(timeLimit)));
        }
    }
}
