package dev.rowlock.queue.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a job's error history.
 *
 * @param attempt which attempt failed
 * @param at when it was recorded, on the database's clock
 * @param nodeId which node ran it: an id in the tables {@code node} or {@code past_node}; null if none did
 * @param type the exception's class name, or a word such as {@code timeout}
 */
public record FailedAttempt(
        int attempt, Instant at, @Nullable Long nodeId, String type, String message, String trace) {}
