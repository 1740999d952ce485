package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/** Moves the deadline of a claimed job. */
public final class ExtendDeadline {

    private static final String SQL = """
            UPDATE rowlock.running SET deadline = statement_timestamp() + ? * interval '1 ms'
             WHERE id = ? AND token = ?
            RETURNING deadline
            """;

    private final Database database;
    private final String sql;

    public ExtendDeadline(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns the new deadline on the database's clock; empty if the claim was lost. */
    public Optional<Instant> run(Claim claim, Duration fromNow) {
        return database.alone(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, fromNow.toMillis());
                statement.setLong(2, claim.jobId());
                statement.setLong(3, claim.token());
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next()
                            ? Optional.of(
                                    rows.getObject(1, OffsetDateTime.class).toInstant())
                            : Optional.empty();
                }
            }
        });
    }
}
