package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;

/** Removes old lines of the audit table, and bulk actions that ended long ago. */
public final class RemoveOldAudit {

    private static final String SQL = """
            WITH old_audit AS (
                DELETE FROM rowlock.audit
                 WHERE ctid = ANY (ARRAY(
                       SELECT a.ctid FROM rowlock.audit a
                        WHERE a.at < statement_timestamp() - ? * interval '1 ms'
                          AND NOT EXISTS (SELECT FROM rowlock.bulk_action b WHERE b.id = a.bulk_action_id AND b.state = 'running')
                        ORDER BY a.at LIMIT ?
                          FOR UPDATE SKIP LOCKED))
                RETURNING 1
            ), old_action AS (
                DELETE FROM rowlock.bulk_action
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.bulk_action WHERE ended_at < statement_timestamp() - ? * interval '1 ms'
                        ORDER BY id LIMIT ?
                          FOR UPDATE SKIP LOCKED))
                RETURNING 1
            )
            SELECT greatest((SELECT count(*) FROM old_audit), (SELECT count(*) FROM old_action))
            """;

    private final Database database;

    public RemoveOldAudit(Database database) {
        this.database = database;
    }

    /** Returns how many rows the table lost that lost most. */
    public int run(Duration age, int limit) {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(SQL))) {
                statement.setLong(1, age.toMillis());
                statement.setInt(2, limit);
                statement.setLong(3, age.toMillis());
                statement.setInt(4, limit);
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    return rows.getInt(1);
                }
            }
        });
    }
}
