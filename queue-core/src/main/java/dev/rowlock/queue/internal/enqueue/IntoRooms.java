package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.Room;

/**
 * The end of a statement that has new jobs as rows of a common table expression {@code created}: {@code id} and {@link NewJob#COLUMNS}. It
 * brings each into its room, and closes the last parenthesis itself.
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
        return Move.created("created", "id, " + NewJob.COLUMNS, ")")
                .to(
                        Room.WAITING,
                        "due_at = coalesce(due_at, statement_timestamp() + delay_millis * interval '1 ms')",
                        "reason = " + reason)
                .when("due_at IS NOT NULL OR delay_millis IS NOT NULL")
                .orTo(Room.READY, "ready_at = statement_timestamp()")
                .inQueueOrder()
                .answering("");
    }
}
