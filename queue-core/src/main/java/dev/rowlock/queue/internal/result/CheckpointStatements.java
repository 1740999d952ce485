package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.job.Claim;
import java.sql.Connection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checkpoints of claimed jobs. In the caller's transaction if there is one. */
public final class CheckpointStatements {

    // Until the end of the transaction, the lock keeps everybody from taking the claim away. So what commits is the
    // owner's, and the
    // next attempt cannot have looked before. It lets others ask to cancel, and write progress.
    private static final String SAVE = """
            WITH held AS (
                SELECT id, token FROM rowlock.running WHERE id = :job AND token = :token FOR KEY SHARE
            )
            INSERT INTO rowlock.checkpoint (job_id, token, saved_at, data)
            SELECT id, token, clock_timestamp(), :json::json FROM held
            ON CONFLICT (job_id) DO UPDATE SET token = excluded.token, saved_at = excluded.saved_at, data = excluded.data
            """;

    private static final String LOAD = """
            SELECT c.data
              FROM rowlock.running r LEFT JOIN rowlock.checkpoint c ON c.job_id = r.id
             WHERE r.id = :job AND r.token = :token
            """;

    /** @param json null: there is none */
    public record Found(@Nullable String json) {}

    private final Database database;

    public CheckpointStatements(Database database) {
        this.database = database;
    }

    /**
     * Notes where the handler of a claimed job is, in place of what was noted before. Returns whether the claim was still held. If not, the transaction
     * must roll back.
     */
    public boolean save(TransactionStanding standing, Claim claim, String json) {
        return database.joinedAtomically(
                standing,
                connection -> on(connection, SAVE, claim).set("json", json).update() == 1);
    }

    /** Reads the checkpoint of a claimed job. Empty if the claim was lost. */
    public Optional<Found> load(Claim claim) {
        return database.joined(connection -> on(connection, LOAD, claim).first(row -> new Found(row.getString(1))));
    }

    private ColdStatement on(Connection connection, String sql, Claim claim) {
        return ColdStatement.on(connection, database.sql(sql))
                .set("job", claim.jobId())
                .set("token", claim.token());
    }
}
