package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.admin.Affected;
import dev.rowlock.queue.internal.store.admin.AuditNote;
import java.sql.PreparedStatement;
import java.util.List;

/** Sets, removes and lists the limits of queues. Joins the caller's transaction. */
public final class StoreLimits {

    private static final String SET = """
            WITH given AS (
                SELECT * FROM %1$s
            ), changed AS (
                INSERT INTO rowlock.queue_limit AS l (queue, %2$s, declared, who)
                SELECT *, false, ?::text FROM given WHERE true
                ON CONFLICT (queue) DO UPDATE
                   SET %3$s, declared = false, changed_at = statement_timestamp(), who = excluded.who
                RETURNING queue
            )
            """.formatted(LimitColumns.GIVEN, LimitColumns.NAMES, LimitColumns.TAKEN_OVER)
            + AuditNote.ofNoJobs("changed") + "SELECT count(*) FROM changed";

    private static final String REMOVE = """
            WITH changed AS (
                DELETE FROM rowlock.queue_limit WHERE queue = ? RETURNING queue
            )
            """ + AuditNote.ofNoJobs("changed") + "SELECT count(*) FROM changed";

    private static final String LIST =
            "SELECT queue, %s FROM rowlock.queue_limit ORDER BY queue".formatted(LimitColumns.NAMES);

    private final Database database;

    public StoreLimits(Database database) {
        this.database = database;
    }

    public void set(QueueLimit limit, AuditNote note) {
        database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(SET))) {
                LimitColumns.set(statement, List.of(limit));
                statement.setString(LimitColumns.PARAMETERS + 1, note.who());
                AuditNote.set(statement, LimitColumns.PARAMETERS + 2, note);
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
                return LimitColumns.LIMIT.all(statement);
            }
        });
    }
}
