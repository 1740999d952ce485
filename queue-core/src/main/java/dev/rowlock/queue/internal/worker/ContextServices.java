package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.ExtendDeadline;
import dev.rowlock.queue.internal.store.FinishJobInTransaction;
import dev.rowlock.queue.internal.store.LoadPayload;
import dev.rowlock.queue.internal.store.SaveProgress;
import java.time.Duration;

/**
 * What a handler and its context need to act on their job. One for the node.
 *
 * @param longestWait no handler begins later than this after the claim; part of each claim's deadline
 */
record ContextServices(
        Database database,
        LoadPayload loadPayload,
        ExtendDeadline extendDeadline,
        SaveProgress saveProgress,
        FinishJobInTransaction finishInTransaction,
        EnsureDonePartitions partitions,
        Deadlines deadlines,
        Duration longestWait,
        Results results) {}
