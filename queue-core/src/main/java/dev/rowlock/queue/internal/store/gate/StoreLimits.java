package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.admin.Affected;
import dev.rowlock.queue.internal.store.admin.AuditNote;
import java.sql.PreparedStatement;
import java.sql.Types;
import java.util.List;

/** Sets, removes and lists the limits of queues. Joins the caller's transaction. */
public final class StoreLimits {

    private static final String SET = """
            WITH changed AS (
                INSERT INTO rowlock.queue_limit AS l (queue, max_running, max_running_per_key, declared, who)
                VALUES (?, ?, ?, false, ?)
                ON CONFLICT (queue) DO UPDATE
                   SET max_running = excluded.max_running, max_running_per_key = excluded.max_running_per_key,
                       declared = false, changed_at = statement_timestamp(), who = excluded.who
                RETURNING queue
            )
            """ + AuditNote.ofNoJobs("changed") + "SELECT count(*) FROM changed";

    private static final String REMOVE = """
            WITH changed AS (
                DELETE FROM rowlock.queue_limit WHERE queue = ? RETURNING queue
            )
            """ + AuditNote.ofNoJobs("changed") + "SELECT count(*) FROM changed";

    private static final String LIST = """
            SELECT queue, max_running, max_running_per_key FROM rowlock.queue_limit ORDER BY queue
            """;

    private static final Row<QueueLimit> LIMIT =
            row -> new QueueLimit(row.getString(1), Columns.integer(row, 2), Columns.integer(row, 3));

    private final Database database;

    public StoreLimits(Database database) {
        this.database = database;
    }

    public void set(QueueLimit limit, AuditNote note) {
        database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(SET))) {
                statement.setString(1, limit.queue());
                statement.setObject(2, limit.maxRunning(), Types.INTEGER);
                statement.setObject(3, limit.maxRunningPerKey(), Types.INTEGER);
                statement.setString(4, note.who());
                AuditNote.set(statement, 5, note);
                return Affected.any(statement);
            }
        });
    }

    /** Returns whether there was one. */
    public boolean remove(String queue, AuditNote note) {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(REMOVE))) {
                statement.setString(1, queue);
                AuditNote.set(statement, 2, note);
                return Affected.any(statement);
            }
        });
    }

    public List<QueueLimit> all() {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(LIST))) {
                return LIMIT.all(statement);
            }
        });
    }
}
