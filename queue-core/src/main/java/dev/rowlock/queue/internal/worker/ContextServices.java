package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.ExtendDeadline;
import dev.rowlock.queue.internal.store.FinishJobInTransaction;
import dev.rowlock.queue.internal.store.LoadPayload;
import dev.rowlock.queue.internal.store.SaveProgress;
import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

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
        Results results) {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    Map<String, String> headers(ClaimedJob job) {
        String document = job.headers();
        if (document == null) {
            return Map.of();
        }
        Map<String, String> headers = new HashMap<>();
        JSON.readTree(document)
                .properties()
                .forEach(e -> headers.put(e.getKey(), e.getValue().asString()));
        return Map.copyOf(headers);
    }
}
