package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

/** Pauses and resumes queues, types, and everything. Joins the caller's transaction; nodes hear with their next heartbeat. */
public final class Pauses {

    // Who paused it first stays: the reason still holds.
    private static final String PAUSE = """
            WITH paused AS (
                INSERT INTO rowlock.pause (kind, name, paused_at, who, why) VALUES (?, ?, statement_timestamp(), ?, ?)
                ON CONFLICT (kind, name) DO NOTHING
                RETURNING kind
            )
            """ + noted("paused");

    private static final String RESUME = """
            WITH resumed AS (
                DELETE FROM rowlock.pause WHERE kind = ? AND name = ?
                RETURNING kind
            )
            """ + noted("resumed");

    private static final String LIST =
            "SELECT kind, name, paused_at, who, why FROM rowlock.pause ORDER BY kind, name LIMIT 10000";

    private static String noted(String changed) {
        return AuditNote.ofNoJobs(changed) + "SELECT count(*) FROM " + changed;
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
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(PAUSE))) {
                statement.setString(1, kind);
                statement.setString(2, name);
                statement.setString(3, note.who());
                statement.setString(4, note.why());
                AuditNote.set(statement, 5, note);
                return Affected.any(statement);
            }
        });
    }

    /** Returns whether it was paused. */
    public boolean resume(String kind, String name, AuditNote note) {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(RESUME))) {
                statement.setString(1, kind);
                statement.setString(2, name);
                AuditNote.set(statement, 3, note);
                return Affected.any(statement);
            }
        });
    }

    /** All that there are. */
    public <T> List<T> list(Row<T> row) {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(LIST));
                    ResultSet rows = statement.executeQuery()) {
                List<T> pauses = new ArrayList<>();
                while (rows.next()) {
                    pauses.add(row.read(rows));
                }
                return pauses;
            }
        });
    }
}
