package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TimeLimit;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the payload of a claimed job that was too large to come with its claim. */
public final class LoadPayload {

    private static final String SQL = """
            SELECT coalesce(r.payload, (SELECT p.payload FROM rowlock.payload p WHERE p.job_id = r.id))
              FROM rowlock.running r
             WHERE r.id = ? AND r.token = ?
            """;

    private final Database database;
    private final String sql;

    public LoadPayload(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns the JSON; empty if the claim was lost. */
    public Optional<String> run(Claim claim) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, TimeLimit.before(connection, sql))) {
                statement.setLong(1, claim.jobId());
                statement.setLong(2, claim.token());
                try (ResultSet rows = TimeLimit.query(statement)) {
                    return rows.next() ? Optional.of(required(rows.getString(1), claim)) : Optional.empty();
                }
            }
        });
    }

    /** No failure of the database's: it would be as missing the next time. */
    private static String required(@Nullable String payload, Claim claim) {
        if (payload == null) {
            throw new IllegalStateException(
                    "job %d has a payload neither in running nor in payload: was one deleted by hand?"
                            .formatted(claim.jobId()));
        }
        return payload;
    }
}
