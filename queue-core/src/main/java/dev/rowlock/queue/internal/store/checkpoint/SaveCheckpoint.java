package dev.rowlock.queue.internal.store.checkpoint;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.TransactionStanding;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;

/** Notes where the handler of a claimed job is, in place of what was noted before. In the caller's transaction if there is one. */
public final class SaveCheckpoint {

    // Until the end of the transaction, the lock keeps everybody from taking the claim away. So what commits is the
    // owner's, and the
    // next attempt cannot have looked before. It lets others ask to cancel, and write progress.
    private static final String SQL = """
            WITH held AS (
                SELECT id, token FROM rowlock.running WHERE id = ? AND token = ? FOR KEY SHARE
            )
            INSERT INTO rowlock.checkpoint (job_id, token, saved_at, data)
            SELECT id, token, clock_timestamp(), ?::json FROM held
            ON CONFLICT (job_id) DO UPDATE SET token = excluded.token, saved_at = excluded.saved_at, data = excluded.data
            """;

    private final Database database;
    private final String sql;

    public SaveCheckpoint(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns whether the claim was still held. If not, the transaction must roll back. */
    public boolean run(TransactionStanding standing, Claim claim, String json) {
        return database.joinedAtomically(standing, connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, claim.jobId());
                statement.setLong(2, claim.token());
                statement.setString(3, json);
                return statement.executeUpdate() == 1;
            }
        });
    }
}
