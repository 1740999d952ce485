package dev.rowlock.queue.internal.store.enqueue;

/**
 * The end of a statement that has new jobs as rows of a common table expression {@code created}: {@code id, due_at,
 * delay_millis, rank, max_retries, timeout_millis, queue, job_key, type, headers, payload, large_payload}. It brings each into its
 * room, and closes the last parenthesis itself.
 */
public final class IntoRooms {

    /** Goes before {@link #READY_OR_WAITING} where a job may have a large payload. */
    public static final String ASIDE = """
            ), aside AS (
                INSERT INTO rowlock.payload (job_id, bytes, payload)
                -- Not compressed yet, so this is its length and four bytes before it.
                SELECT id, pg_column_size(large_payload) - 4, large_payload::json FROM created WHERE large_payload IS NOT NULL
            """;

    public static final String READY_OR_WAITING = readyOrWaiting("'scheduled'");

    private IntoRooms() {}

    /** As {@link #READY_OR_WAITING}, with an expression over {@code created} that says why a job waits. */
    public static String readyOrWaiting(String reason) {
        return """
                    ), into_ready AS (
                        INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, max_retries, timeout_millis,
                                                   queue, job_key, type, payload, headers)
                        SELECT id, statement_timestamp(), statement_timestamp(), rank, max_retries, timeout_millis,
                               queue, job_key, type, payload::json, headers::json
                          FROM created
                         WHERE due_at IS NULL AND delay_millis IS NULL
                         ORDER BY queue COLLATE "C", rank, id -- as in EnqueueReadyJobs
                    ), into_waiting AS (
                        INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, max_retries, timeout_millis, reason,
                                                     queue, job_key, type, payload, headers)
                        SELECT id, coalesce(due_at, statement_timestamp() + delay_millis * interval '1 ms'),
                               statement_timestamp(), rank, max_retries, timeout_millis, %s,
                               queue, job_key, type, payload::json, headers::json
                          FROM created
                         WHERE due_at IS NOT NULL OR delay_millis IS NOT NULL
                    )
                    """.formatted(reason);
    }
}
