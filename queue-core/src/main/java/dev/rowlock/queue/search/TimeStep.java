package dev.rowlock.queue.search;

import java.time.Duration;

/** The steps of sums over time. Days begin at midnight UTC. */
public enum TimeStep {
    MINUTE(Duration.ofMinutes(1)),
    HOUR(Duration.ofHours(1)),
    DAY(Duration.ofDays(1));

    private final Duration length;

    TimeStep(Duration length) {
        this.length = length;
    }

    public Duration length() {
        return length;
    }
}
