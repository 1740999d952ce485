package dev.rowlock.queue.internal.attempt;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.claim.LoadErrors;
import dev.rowlock.queue.internal.store.claim.LoadPayload;
import dev.rowlock.queue.internal.store.outcome.HeldClaims;
import dev.rowlock.queue.internal.store.outcome.OutcomeStatements;
import java.time.Duration;

/**
 * What a handler and its context need to act on their job. One for the node.
 *
 * @param longestWait no handler begins later than this after the claim; part of each claim's deadline
 */
public record ContextServices(
        Database database,
        LoadPayload loadPayload,
        LoadErrors loadErrors,
        HeldClaims claims,
        OutcomeStatements outcomes,
        EnsureDonePartitions partitions,
        Deadlines deadlines,
        Duration longestWait,
        Results results,
        Checkpoints checkpoints) {}
