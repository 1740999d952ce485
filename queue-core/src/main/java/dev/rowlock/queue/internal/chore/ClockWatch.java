package dev.rowlock.queue.internal.chore;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Compares the server's clock with the monotonic one of this process. Not thread-safe. */
public final class ClockWatch {

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
}
