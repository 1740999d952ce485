package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import org.jspecify.annotations.Nullable;

/**
 * Completes one job inside the caller's transaction. Its twin {@link FinishJobs} serves batches; this one leaves no
 * plan settings behind in a transaction that is not ours.
 */
public final class FinishJobInTransaction {

    private static final String KEEP = Move.from(Room.RUNNING, "finished", """
                    WITH finished AS (
                        DELETE FROM rowlock.running WHERE id = ? AND token = ? RETURNING *
                    )""")
            .to(Room.DONE)
            .set("state", "'completed'")
            .set("result", "?::json")
            .counting();

    private static final String FORGET = "DELETE FROM rowlock.running WHERE id = ? AND token = ?";

    private final Database database;
    private final boolean keep;
    private final String sql;

    public FinishJobInTransaction(Database database, boolean keep) {
        this.database = database;
        this.keep = keep;
        this.sql = database.sql(keep ? KEEP : FORGET);
    }

    /** Returns whether the claim was still held. If not, the transaction must roll back. */
    public boolean run(Claim claim, @Nullable String result) {
        return database.joined(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, claim.jobId());
                statement.setLong(2, claim.token());
                if (keep) {
                    statement.setString(3, result);
                }
                return statement.executeUpdate() == 1;
            }
        });
    }
}
