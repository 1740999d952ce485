package dev.rowlock.queue.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a job's error history.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface FailedAttempt {

    /** Which attempt failed. */
    int attempt();

    /** When a node claimed the job for it, on the database's clock; null: no node did, or the entry is of a release that did not note it. */
    @Nullable
    Instant startedAt();

    /** When it was recorded, on the database's clock. */
    Instant at();

    /** Which node ran it: an id in the tables {@code node} or {@code past_node}; null if none did. */
    @Nullable
    Long nodeId();

    /** The exception's class name, or a word such as {@code timeout}. */
    String type();

    String message();

    String trace();
}
