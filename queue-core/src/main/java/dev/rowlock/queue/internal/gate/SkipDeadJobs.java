package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;

/** Marks the dead jobs that hold up a key, so that they no longer do. Joins the caller's transaction. */
public final class SkipDeadJobs {

    // Ids begin at 1, so no job was enqueued before a skipped one died: it neither holds up its key nor has a rest that
    // is cancelled.
    private static final String SQL = """
            WITH held AS MATERIALIZED (
                SELECT d.id FROM rowlock.dead d
                 WHERE d.queue = :queue AND d.job_key = :key AND d.last_job > 0
                   AND (SELECT in_order FROM rowlock.queue_limit WHERE queue = :queue) = 'hold'
                 ORDER BY d.id
                   FOR UPDATE
            ), skipped AS (
                UPDATE rowlock.dead SET last_job = 0 WHERE id = ANY (ARRAY(SELECT id FROM held))
                RETURNING id
            )
            """ + AuditNote.of("skipped") + "SELECT count(*) FROM skipped";

    private final Database database;
    private final String sql;

    public SkipDeadJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns how many there were. */
    public int run(String queue, String key, AuditNote note) {
        return database.joined(connection -> ColdStatement.on(connection, sql)
                .set("queue", queue)
                .set("key", key)
                .set(AuditNote.values(note))
                .only(row -> row.getInt(1)));
    }
}
