package dev.rowlock.queue.internal.store.cleanup;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import org.jspecify.annotations.Nullable;

/** Deletes the rows of unique keys that are free, a stretch of the table at a time, in the order of types and keys. */
public final class RemoveFreeKeys {

    // Between the snapshot and the lock, a free key may be taken again: the row then names another job, and stays. What
    // is locked is being taken at this moment.
    private static final String SQL = """
            WITH looked AS MATERIALIZED (
                SELECT type, key, job_id,
                       coalesce(held_until <= statement_timestamp(), true)
                       AND (SELECT w.id FROM rowlock.waiting w WHERE w.id = k.job_id) IS NULL
                       AND (SELECT r.id FROM rowlock.ready r WHERE r.id = k.job_id) IS NULL
                       AND (SELECT r.id FROM rowlock.running r WHERE r.id = k.job_id) IS NULL AS free
                  FROM rowlock.unique_key k
                 WHERE (type, key) > (?, ?)
                 ORDER BY type, key LIMIT ?
            ), locked AS MATERIALIZED (
                SELECT k.type, k.key, k.job_id
                  FROM looked l JOIN rowlock.unique_key k ON k.type = l.type AND k.key = l.key AND k.job_id = l.job_id
                 WHERE l.free
                   FOR UPDATE OF k SKIP LOCKED
            ), removed AS (
                DELETE FROM rowlock.unique_key k USING locked l
                 WHERE k.type = l.type AND k.key = l.key AND k.job_id = l.job_id
                RETURNING 1
            )
            SELECT type, key, (SELECT count(*) FROM looked), (SELECT count(*) FROM removed)
              FROM looked
             ORDER BY type DESC, key DESC LIMIT 1
            """;

    /** A place in the table; what lies behind it comes next. */
    public record Position(String type, String key) {}

    /** Before all keys. */
    public static final Position FRONT = new Position("", "");

    /**
     * What became of a stretch.
     *
     * @param end the last key that was looked at; null if there are no more behind it
     */
    public record Stretch(int removed, @Nullable Position end) {}

    private final Database database;
    private final String sql;

    public RemoveFreeKeys(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Looks at so many keys behind the position, and removes those that are free. */
    public Stretch run(Position behind, int limit) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setString(1, behind.type());
                statement.setString(2, behind.key());
                statement.setInt(3, limit);
                try (ResultSet row = statement.executeQuery()) {
                    if (!row.next()) {
                        return new Stretch(0, null);
                    }
                    Position last = new Position(row.getString(1), row.getString(2));
                    return new Stretch(row.getInt(4), row.getInt(3) < limit ? null : last);
                }
            }
        });
    }
}
