package dev.rowlock.queue.internal.store.unique;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;

/**
 * Gives the keys of jobs that waited for the end of another one, and were cancelled, back to that one, unless somebody else has
 * taken them. A key that a transaction has locked is left for the next time.
 */
public final class GiveKeysBack {

    // Somebody may just be inserting the row of a key whose own was removed: that is worth a short wait only.
    private static final String SQL = "SELECT set_config('lock_timeout', '100ms', true);\n" + """
            WITH cancelled AS MATERIALIZED (
                SELECT job_id, after_id, type, key FROM rowlock.once_more
                 WHERE job_id = ANY (?::bigint[])
                 ORDER BY job_id
                   FOR UPDATE SKIP LOCKED
            ), seen AS MATERIALIZED (
                SELECT c.*, (SELECT k.job_id FROM rowlock.unique_key k WHERE k.type = c.type AND k.key = c.key) AS holder_id
                  FROM cancelled c
            ), own AS MATERIALIZED (
                SELECT s.job_id, s.after_id, k.type, k.key
                  FROM seen s
                 CROSS JOIN LATERAL (SELECT k.type, k.key FROM rowlock.unique_key k
                                      WHERE k.type = s.type AND k.key = s.key AND k.job_id = s.job_id
                                        FOR UPDATE SKIP LOCKED) AS k
                 WHERE s.holder_id = s.job_id
            ), given_back AS (
                -- Their rows are there, and locked. As a join, an UPDATE could scan the table.
                INSERT INTO rowlock.unique_key (type, key, job_id)
                SELECT type, key, after_id FROM own
                ON CONFLICT (type, key) DO UPDATE SET job_id = excluded.job_id
            ), anew AS (
                INSERT INTO rowlock.unique_key (type, key, job_id)
                SELECT type, key, max(after_id) FROM seen WHERE holder_id IS NULL
                 GROUP BY type, key
                 ORDER BY type COLLATE "C", key COLLATE "C" -- as in EnqueueUniqueJobs
                ON CONFLICT (type, key) DO NOTHING
            ), removed AS (
                DELETE FROM rowlock.once_more
                 WHERE job_id = ANY (ARRAY(SELECT job_id FROM own
                                            UNION ALL
                                           SELECT job_id FROM seen WHERE holder_id IS DISTINCT FROM job_id))
                RETURNING 1
            )
            SELECT count(*) FROM removed
            """;

    private final Database database;
    private final String sql;

    public GiveKeysBack(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns for how many of these jobs nothing is left to do. They must be in no room any more where they may run. */
    public int run(List<Long> ids) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(ids, Long::longValue));
                try (ResultSet row = IndexPlan.query(statement)) {
                    row.next();
                    return row.getInt(1);
                }
            }
        });
    }
}
