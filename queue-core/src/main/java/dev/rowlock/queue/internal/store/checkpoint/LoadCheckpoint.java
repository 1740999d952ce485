package dev.rowlock.queue.internal.store.checkpoint;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the checkpoint of a claimed job. In the caller's transaction if there is one. */
public final class LoadCheckpoint {

    private static final String SQL = """
            SELECT c.data
              FROM rowlock.running r LEFT JOIN rowlock.checkpoint c ON c.job_id = r.id
             WHERE r.id = ? AND r.token = ?
            """;

    /** @param json null: there is none */
    public record Found(@Nullable String json) {}

    private final Database database;
    private final String sql;

    public LoadCheckpoint(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Empty if the claim was lost. */
    public Optional<Found> run(Claim claim) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, claim.jobId());
                statement.setLong(2, claim.token());
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(new Found(rows.getString(1))) : Optional.empty();
                }
            }
        });
    }
}
