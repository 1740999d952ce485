package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import java.time.Duration;

/**
 * What a handler and its context need to act on their job. One for the node.
 *
 * @param longestWait no handler begins later than this after the claim; part of each claim's deadline
 */
public record ContextServices(
        Database database,
        ClaimStatements claims,
        OutcomeStatements outcomes,
        EnsureDonePartitions partitions,
        Deadlines deadlines,
        Duration longestWait,
        Results results,
        Checkpoints checkpoints) {}
