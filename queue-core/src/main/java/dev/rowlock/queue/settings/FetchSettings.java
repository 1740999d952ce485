package dev.rowlock.queue.settings;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;

/**
 * How a queue's fetcher looks for work.
 *
 * @param pollInterval how often it looks when nothing wakes it; 10 ms to 10 min
 * @param prefetchHorizon it claims ahead no more than its threads will start within this time, and gives back what has not begun
 *     after twice the time, or half a second, and would not soon; 0 claims nothing ahead
 * @param maxPrefetch it never holds more claimed jobs than this beside the running ones, not counting those whose outcome is
 *     on its way to the database; 0 to 10,000
 */
public record FetchSettings(Duration pollInterval, Duration prefetchHorizon, int maxPrefetch) {

    /** Poll each second, prefetch for 250 ms, at most 1,000 jobs. */
    public static final FetchSettings DEFAULT = new FetchSettings(Duration.ofSeconds(1), Duration.ofMillis(250), 1_000);

    public FetchSettings {
        if (pollInterval.compareTo(Duration.ofMillis(10)) < 0 || pollInterval.compareTo(Duration.ofMinutes(10)) > 0) {
            throw new IllegalArgumentException(
                    "poll-interval %s must lie between 10 ms and 10 min".formatted(DurationText.of(pollInterval)));
        }
        if (prefetchHorizon.isNegative() || prefetchHorizon.compareTo(Duration.ofSeconds(10)) > 0) {
            throw new IllegalArgumentException(
                    "prefetch-horizon %s must lie between 0 and 10 s".formatted(DurationText.of(prefetchHorizon)));
        }
        if (maxPrefetch < 0 || maxPrefetch > 10_000) {
            throw new IllegalArgumentException("max-prefetch %d must lie between 0 and 10000".formatted(maxPrefetch));
        }
    }
}
