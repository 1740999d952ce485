package dev.rowlock.queue.workflow;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A workflow in a list.
 *
 * @param startedAt by the database's clock, like {@code endedAt}
 * @param endedAt null: it has not ended
 */
public record WorkflowSummary(
        long id,
        String name,
        WorkflowState state,
        Instant startedAt,
        @Nullable Instant endedAt) {}
