package dev.rowlock.queue.internal.store;

import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;

/** Reads the payload of a claimed job that was too large to come with its claim. */
public final class LoadPayload {

    private static final String SQL = "SELECT payload FROM rowlock.running WHERE id = ? AND token = ?";

    private final Database database;
    private final String sql;

    public LoadPayload(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns the JSON; empty if the claim was lost. */
    public Optional<String> run(Claim claim) {
        return database.alone(connection -> {
            try (PreparedStatement statement = FreshPlan.prepare(connection, sql)) {
                statement.setLong(1, claim.jobId());
                statement.setLong(2, claim.token());
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
                }
            }
        });
    }
}
