package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import org.jspecify.annotations.Nullable;

/** Notes how far the handler of a claimed job is. */
public final class SaveProgress {

    private static final String SQL =
            "UPDATE rowlock.running SET progress = ?, progress_note = ? WHERE id = ? AND token = ?";

    private final Database database;
    private final String sql;

    public SaveProgress(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns whether the claim was still held. */
    public boolean run(Claim claim, int percent, @Nullable String note) {
        return database.alone(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setInt(1, percent);
                statement.setString(2, note);
                statement.setLong(3, claim.jobId());
                statement.setLong(4, claim.token());
                return statement.executeUpdate() == 1;
            }
        });
    }
}
