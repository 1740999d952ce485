package dev.rowlock.queue.spi;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;

/**
 * How a listener runs many jobs in one call.
 *
 * @param batch the most jobs of a call; 2 to 10,000
 * @param linger how long the first job of a call waits for others, at most; 0 to 10 s. At 0 it takes along what this node has
 *     claimed
 */
public record Chunking(ChunkHandler handler, int batch, Duration linger) {

    /** The largest batch. */
    public static final int MAX_BATCH = 10_000;

    /** The longest wait for further jobs. */
    public static final Duration MAX_LINGER = Duration.ofSeconds(10);

    /** Of a listener that names none. */
    public static final int DEFAULT_BATCH = 100;

    /** Of a listener that names none: as long as a claim takes. */
    public static final Duration DEFAULT_LINGER = Duration.ofMillis(10);

    public Chunking {
        if (batch < 2 || batch > MAX_BATCH) {
            throw new IllegalArgumentException("batch %d must lie between 2 and %d".formatted(batch, MAX_BATCH));
        }
        if (linger.isNegative() || linger.compareTo(MAX_LINGER) > 0) {
            throw new IllegalArgumentException(
                    "linger %s must lie between 0 and 10 s".formatted(DurationText.of(linger)));
        }
    }
}
