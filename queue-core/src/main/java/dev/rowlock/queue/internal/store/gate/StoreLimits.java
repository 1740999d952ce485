package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.store.ColdStatement;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.admin.AuditNote;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Sets, removes and lists the limits of queues. Joins the caller's transaction. */
public final class StoreLimits {

    private static final String SET =
            """
            WITH given AS (
                SELECT * FROM %1$s
            ), changed AS (
                INSERT INTO rowlock.queue_limit AS l (queue, %2$s, declared, who)
                SELECT *, false, :audit_who::text FROM given WHERE true
                ON CONFLICT (queue) DO UPDATE
                   SET %3$s, declared = false, changed_at = statement_timestamp(), who = excluded.who,
                       declared_limit = CASE WHEN l.declared THEN %4$s ELSE l.declared_limit END
                RETURNING queue
            )
            """.formatted(LimitColumns.GIVEN, LimitColumns.NAMES, LimitColumns.TAKEN_OVER, LimitColumns.json("l"))
                    + AuditNote.ofNoJobs("changed") + "SELECT queue FROM changed";

    private static final String REMOVE =
            """
            WITH restored AS (
                UPDATE rowlock.queue_limit l
                   SET %s, declared = true, declared_limit = NULL, changed_at = statement_timestamp(), who = NULL
                 WHERE l.queue = :queue AND NOT l.declared AND l.declared_limit IS NOT NULL
                RETURNING l.queue
            ), removed AS (
                DELETE FROM rowlock.queue_limit l WHERE l.queue = :queue AND NOT l.declared AND l.declared_limit IS NULL
                RETURNING l.queue
            ), changed AS (
                TABLE restored UNION ALL TABLE removed
            )
            """.formatted(LimitColumns.AS_DECLARED) + AuditNote.ofNoJobs("changed") + "SELECT queue FROM changed";

    private static final String LIST =
            "SELECT queue, %s FROM rowlock.queue_limit ORDER BY queue".formatted(LimitColumns.NAMES);

    private static final String FIND =
            "SELECT queue, %s FROM rowlock.queue_limit WHERE queue = :queue".formatted(LimitColumns.NAMES);

    private static final String LOCKED = FIND + " FOR UPDATE";

    private final Database database;

    public StoreLimits(Database database) {
        this.database = database;
    }

    public void set(QueueLimit limit, AuditNote note) {
        database.joined(connection -> {
            set(connection, limit, note);
            return true;
        });
    }

    public void set(Connection connection, QueueLimit limit, AuditNote note) throws SQLException {
        ColdStatement statement =
                ColdStatement.on(connection, database.sql(SET)).set(AuditNote.values(note));
        LimitColumns.set(statement, List.of(limit));
        statement.list(row -> row.getString(1));
    }

    /** Lets the declared limit hold again, or none if there is none. Returns whether another one held. */
    public boolean remove(String queue, AuditNote note) {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(REMOVE))
                .set("queue", queue)
                .set(AuditNote.values(note))
                .first(row -> true)
                .isPresent());
    }

    public List<QueueLimit> all() {
        return database.joined(
                connection -> ColdStatement.on(connection, database.sql(LIST)).list(LimitColumns.LIMIT));
    }

    public Optional<QueueLimit> find(String queue) {
        return database.joined(connection -> found(connection, FIND, queue));
    }

    /** Nobody else changes it until the transaction ends. */
    public Optional<QueueLimit> locked(Connection connection, String queue) throws SQLException {
        return found(connection, LOCKED, queue);
    }

    private Optional<QueueLimit> found(Connection connection, String sql, String queue) throws SQLException {
        return ColdStatement.on(connection, database.sql(sql))
                .set("queue", queue)
                .first(LimitColumns.LIMIT);
    }
}
