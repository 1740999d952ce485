package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A page of the jobs of one queue, or of all, that are in one state, newest first. Reads the caller's transaction if there is one. */
public final class ListJobs {

    // One room each, not the view: the planner cannot know that no done job is ready, and would read all of done to
    // see.
    private static final Map<String, String> BY_ROOM = Map.of(
            "waiting", """
            SELECT id, ?::text AS state, queue, type, -rank AS priority, attempt, enqueued_at, due_at,
                   NULL::timestamptz AS ended_at, NULL::smallint AS progress, errors -> -1 ->> 'message' AS last_error
              FROM rowlock.waiting WHERE queue = ? AND id < ? ORDER BY id DESC LIMIT ?
            """,
            "ready", """
            SELECT id, ?::text AS state, queue, type, -rank AS priority, attempt, enqueued_at, ready_at AS due_at,
                   NULL::timestamptz AS ended_at, NULL::smallint AS progress, errors -> -1 ->> 'message' AS last_error
              FROM rowlock.ready WHERE queue = ? AND id < ? ORDER BY id DESC LIMIT ?
            """,
            "running", """
            SELECT id, ?::text AS state, queue, type, -rank AS priority, attempt, enqueued_at, ready_at AS due_at,
                   NULL::timestamptz AS ended_at, progress, errors -> -1 ->> 'message' AS last_error
              FROM rowlock.running WHERE queue = ? AND id < ? ORDER BY id DESC LIMIT ?
            """,
            "done", """
            SELECT id, state, queue, type, -rank AS priority, attempt, enqueued_at, NULL::timestamptz AS due_at,
                   finished_at AS ended_at, NULL::smallint AS progress, errors -> -1 ->> 'message' AS last_error
              FROM rowlock.done WHERE state = ? AND queue = ? AND id < ? ORDER BY id DESC LIMIT ?
            """,
            "dead", """
            SELECT id, state, queue, type, -rank AS priority, attempt, enqueued_at, NULL::timestamptz AS due_at,
                   died_at AS ended_at, NULL::smallint AS progress, errors -> -1 ->> 'message' AS last_error
              FROM rowlock.dead WHERE state = ? AND queue = ? AND id < ? ORDER BY id DESC LIMIT ?
            """);

    private final Database database;

    public ListJobs(Database database) {
        this.database = database;
    }

    /** @param queue null for all queues */
    public <T> List<T> run(@Nullable String queue, JobState state, long before, int limit, FindJob.Row<T> row) {
        String ofQueue = database.sql(Objects.requireNonNull(BY_ROOM.get(state.room())));
        String sql = queue == null ? ofQueue.replace("queue = ? AND ", "") : ofQueue;
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                int last = 0;
                statement.setString(++last, state.label());
                if (queue != null) {
                    statement.setString(++last, queue);
                }
                statement.setLong(++last, before);
                statement.setInt(++last, limit);
                try (ResultSet rows = statement.executeQuery()) {
                    List<T> page = new ArrayList<>();
                    while (rows.next()) {
                        page.add(row.read(rows));
                    }
                    return page;
                }
            }
        });
    }
}
