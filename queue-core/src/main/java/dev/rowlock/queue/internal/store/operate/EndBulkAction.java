package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.ColdStatement;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.admin.AuditNote;

/** Ends a bulk action before it is finished. */
public final class EndBulkAction {

    // Waits for the batch that is under way: it is done, or it is not.
    private static final String SQL = """
            WITH ended AS (
                UPDATE rowlock.bulk_action SET state = 'cancelled', ended_at = statement_timestamp()
                 WHERE id = :id AND state = 'running'
                RETURNING id
            )
            """ + AuditNote.ofNoJobs("ended") + "SELECT id FROM ended";

    private final Database database;
    private final String sql;

    public EndBulkAction(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Joins the caller's transaction. Returns whether it was going on. */
    public boolean run(long id, AuditNote note) {
        return database.joined(connection -> ColdStatement.on(connection, sql)
                .set("id", id)
                .set(AuditNote.values(note))
                .first(row -> true)
                .isPresent());
    }
}
