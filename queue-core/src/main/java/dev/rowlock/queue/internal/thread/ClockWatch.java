package dev.rowlock.queue.internal.thread;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Compares the server's clock with the monotonic one of this process. Not thread-safe. */
public final class ClockWatch {

    /** A clock that is off by less was not set: it is being corrected, or the answer was long on its way. */
    private static final Duration CORRECTION = Duration.ofSeconds(1);

    private @Nullable Instant lastServer;
    private long lastNanos;

    /**
     * By how much the server's clock has been set since the last look, negative: back. What the answer took on its way counts
     * too, and the time that this machine has slept.
     */
    public Duration steppedBy(Instant server, long nanos) {
        Duration stepped = lastServer == null
                ? Duration.ZERO
                : Duration.between(lastServer, server).minusNanos(nanos - lastNanos);
        lastServer = server;
        lastNanos = nanos;
        return stepped;
    }

    /** Whether the server's clock has been set back since the last look. */
    public boolean setBack(Instant server, long nanos) {
        return steppedBy(server, nanos).compareTo(CORRECTION.negated()) < 0;
    }
}
