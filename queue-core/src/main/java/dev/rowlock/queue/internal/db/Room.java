package dev.rowlock.queue.internal.db;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A table in which a job can lie, and the columns of its row. They stand here and in the schema's {@code rooms.sql}; statements take them from
 * here, so that a job loses nothing on its way when it gets one more.
 */
public enum Room {
    WAITING("due_at !, reason !"),
    READY("ready_at !"),
    RUNNING(
            "token !, node_id !, ready_at !, claimed_at !, deadline ?, gate ?, progress ?, progress_note ?, cancel_requested ?, isolated ?"),
    DONE("finished_at statement_timestamp(), claimed_at ?, token ?, node_id ?, state !, result ?"),
    DEAD("died_at statement_timestamp(), claimed_at ?, token ?, node_id ?, state !");

    /** What a job has in each room, and takes along with each move. */
    public static final String JOB =
            "id, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries, queue, job_key, type, payload, headers, errors";

    private final Map<String, String> columns = new LinkedHashMap<>();

    /** @param own the columns that not every room has, each with its value in a row that comes from elsewhere: "!" the move says it; "?" there may be none */
    Room(String own) {
        split(JOB).forEach(column -> columns.put(column, "?"));
        split(own).forEach(column -> columns.put(column.split(" ")[0], column.split(" ")[1]));
    }

    /** Its table, without the schema. */
    public String table() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Its columns, each with the value that it has in a row that comes from a room without it: "!" the move says it; "?" there may be none. */
    Map<String, String> columns() {
        return Collections.unmodifiableMap(columns);
    }

    static List<String> split(String columns) {
        return Arrays.stream(columns.split(", ")).toList();
    }
}
