package dev.rowlock.queue.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a job's error history.
 *
 * @param attempt which attempt failed
 * @param startedAt when a node claimed the job for it, on the database's clock; null: no node did, or the entry is of a release that did not note it
 * @param at when it was recorded, on the database's clock
 * @param nodeId which node ran it: an id in the tables {@code node} or {@code past_node}; null if none did
 * @param type the exception's class name, or a word such as {@code timeout}
 */
public record FailedAttempt(
        int attempt,
        @Nullable Instant startedAt,
        Instant at,
        @Nullable Long nodeId,
        String type,
        String message,
        String trace) {}
