package dev.rowlock.queue.internal.db;

import java.util.List;

/** Pauses and resumes queues, types, and everything. Joins the caller's transaction; nodes hear with their next heartbeat. */
public final class Pauses {

    // Who paused it first stays: the reason still holds.
    private static final String PAUSE = """
            WITH paused AS (
                INSERT INTO rowlock.pause (kind, name, paused_at, who, why) VALUES (:kind, :name, statement_timestamp(), :audit_who, :audit_why)
                ON CONFLICT (kind, name) DO NOTHING
                RETURNING kind
            )
            """ + noted("paused");

    private static final String RESUME = """
            WITH resumed AS (
                DELETE FROM rowlock.pause WHERE kind = :kind AND name = :name
                RETURNING kind
            )
            """ + noted("resumed");

    private static final String LIST =
            "SELECT kind, name, paused_at, who, why FROM rowlock.pause ORDER BY kind, name LIMIT 10000";

    private static String noted(String changed) {
        return AuditNote.ofNoJobs(changed) + "SELECT kind FROM " + changed;
    }

    private final Database database;

    public Pauses(Database database) {
        this.database = database;
    }

    /**
     * Returns whether it was not paused.
     *
     * @param kind queue, type or everything
     * @param name empty for everything
     */
    public boolean pause(String kind, String name, AuditNote note) {
        return changed(PAUSE, kind, name, note);
    }

    /** Returns whether it was paused. */
    public boolean resume(String kind, String name, AuditNote note) {
        return changed(RESUME, kind, name, note);
    }

    private boolean changed(String sql, String kind, String name, AuditNote note) {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(sql))
                .set("kind", kind)
                .set("name", name)
                .set(AuditNote.values(note))
                .first(row -> true)
                .isPresent());
    }

    /** All that there are. */
    public <T> List<T> list(Row<T> row) {
        return database.joined(
                connection -> ColdStatement.on(connection, database.sql(LIST)).list(row));
    }
}
