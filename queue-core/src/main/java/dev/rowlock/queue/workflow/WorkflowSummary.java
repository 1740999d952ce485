package dev.rowlock.queue.workflow;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A workflow in a list.
 *
 * @param startedAt on the database's clock, as is the next
 * @param endedAt null: it runs
 */
public record WorkflowSummary(
        long id,
        String name,
        WorkflowState state,
        Instant startedAt,
        @Nullable Instant endedAt) {}
