package dev.rowlock.queue.internal.store.unique;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * Locks the rows of unique keys until the transaction ends, in the order of the keys, so that two calls cannot deadlock. A key
 * without a row gets one that names no job. Nobody else gives such a key to a job before this transaction ends.
 */
public final class LockUniqueKeys {

    private static final String SQL = """
            INSERT INTO rowlock.unique_key AS k (type, key, job_id)
            SELECT type, key, 0 -- no job has this id
              FROM unnest(?::text[], ?::text[]) AS a (type, key)
             ORDER BY type COLLATE "C", key COLLATE "C" -- as in EnqueueUniqueJobs
            ON CONFLICT (type, key) DO UPDATE SET job_id = k.job_id
            """;

    private final String sql;

    public LockUniqueKeys(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** In the caller's transaction. Each key once. */
    public void run(Connection connection, List<TypedKey> keys) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            statement.setObject(1, Columns.texts(keys, TypedKey::type));
            statement.setObject(2, Columns.texts(keys, TypedKey::key));
            statement.executeUpdate();
        }
    }
}
