package dev.rowlock.queue.gate;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job that a policy may choose. Its payload does not come along: what a policy must know of it belongs into headers.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface WaitingJob {

    long id();

    String type();

    /** What it is about; null: it has no key. */
    @Nullable
    String key();

    int priority();

    /** How often it has been tried. */
    int attempts();

    /** Since when it could run. */
    Instant readyAt();

    Instant enqueuedAt();

    Map<String, String> headers();
}
