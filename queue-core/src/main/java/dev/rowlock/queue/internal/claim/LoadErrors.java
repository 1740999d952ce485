package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.ErrorHistory;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.FailedAttempt;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import java.util.Optional;

/** Reads the error history of a running job. */
public final class LoadErrors {

    private static final String SQL = "SELECT errors FROM rowlock.running WHERE id = ? AND token = ?";

    private final Database database;
    private final String sql;

    public LoadErrors(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Oldest first; empty if the claim was lost. */
    public Optional<List<FailedAttempt>> run(Claim claim) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, claim.jobId());
                statement.setLong(2, claim.token());
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(ErrorHistory.decode(rows.getString(1))) : Optional.empty();
                }
            }
        });
    }
}
