package dev.rowlock.queue.internal.janitor;

import java.time.Duration;

/**
 * How nodes are judged.
 *
 * @param gap the longest silence after which the judge itself still counts as steady
 * @param maxCrashes a job that brought down this many nodes is quarantined
 */
record RescuePolicy(Duration gap, int maxCrashes) {}
