package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.wake.AfterCommit;
import dev.rowlock.queue.operate.Actor;
import dev.rowlock.queue.operate.Pause;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;

/** Pauses in the database, for all nodes. Thread-safe. */
public final class StoredPauses {

    /** Pauses a queue, a type or everything. */
    private static final String PAUSE = """
            WITH paused AS (
                INSERT INTO rowlock.pause (kind, name, paused_at, who, why) VALUES (:kind, :name, statement_timestamp(), :audit_who, :audit_why)
                ON CONFLICT (kind, name) DO NOTHING
                RETURNING kind
            )
            """ + noted("paused");

    /** Ends a pause. */
    private static final String RESUME = """
            WITH resumed AS (
                DELETE FROM rowlock.pause WHERE kind = :kind AND name = :name
                RETURNING kind
            )
            """ + noted("resumed");

    /** Lists the pauses. */
    private static final String LIST =
            "SELECT kind, name, paused_at, who, why FROM rowlock.pause ORDER BY kind, name LIMIT 10000";

    private static String noted(String changed) {
        return AuditNote.ofNoJobs(changed) + "SELECT kind FROM " + changed;
    }

    private final Database database;
    private final AfterCommit afterCommit;

    public StoredPauses(Database database, AfterCommit afterCommit) {
        this.database = database;
        this.afterCommit = afterCommit;
    }

    /** Returns whether it was not paused. */
    public boolean pause(Pause.Kind kind, String name, Actor by) {
        TransactionStanding standing = database.requireWritable("pause");
        boolean changed = changed(PAUSE, kind, name, note("pause", kind, name, by));
        afterCommit.attention(standing);
        return changed;
    }

    /** Returns whether it was paused. */
    public boolean resume(Pause.Kind kind, String name, Actor by) {
        TransactionStanding standing = database.requireWritable("resume");
        boolean changed = changed(RESUME, kind, name, note("resume", kind, name, by));
        afterCommit.attention(standing);
        return changed;
    }

    public List<Pause> list() {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(LIST))
                .list(row -> new Pause(
                        Pause.Kind.valueOf(row.getString("kind").toUpperCase(Locale.ROOT)),
                        row.getString("name"),
                        row.getObject("paused_at", OffsetDateTime.class).toInstant(),
                        row.getString("who"),
                        row.getString("why"))));
    }

    private boolean changed(String sql, Pause.Kind kind, String name, AuditNote note) {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(sql))
                .set("kind", label(kind))
                .set("name", name)
                .set(AuditNote.values(note))
                .first(row -> true)
                .isPresent());
    }

    private static AuditNote note(String action, Pause.Kind kind, String name, Actor by) {
        return new AuditNote(by.who(), by.why(), action, (label(kind) + " " + name).trim(), null);
    }

    private static String label(Pause.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
