package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.TransactionStanding;
import dev.rowlock.queue.internal.store.operate.CountBulkJobs.Count;
import dev.rowlock.queue.internal.store.search.BoundedSearch;
import dev.rowlock.queue.internal.store.search.RoomCondition;
import dev.rowlock.queue.operate.Actor;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.operate.KindOfError;
import dev.rowlock.queue.search.JobFilter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** Counts the jobs that a bulk action is for, and writes it down for nodes to do. */
public final class CreateBulkAction {

    private static final Duration COUNT_WITHIN = Duration.ofSeconds(3);

    // The id that is drawn stays nobody's: all jobs that come later have higher ones.
    private static final String SQL = """
            WITH created AS (
                INSERT INTO rowlock.bulk_action (kind, state, filter, who, why, created_at, counted, counted_all, last_id, per_second,
                                                 error, batch_at, next_at)
                VALUES (?, 'running', ?::json, ?, ?, statement_timestamp(), ?, ?, nextval('rowlock.job_id'), ?,
                        ?::jsonb, statement_timestamp(), statement_timestamp())
                RETURNING *
            ), audited AS (
                INSERT INTO rowlock.audit (at, who, why, action, subject, detail, jobs, bulk_action_id)
                SELECT created_at, who, why, kind, ?, CASE WHEN per_second IS NOT NULL THEN per_second || ' a second' END, 0, id
                  FROM created
            )
            SELECT %s FROM created
            """.formatted(BulkRow.COLUMNS);

    private final Database database;
    private final CountBulkJobs count;
    private final FindKindOfError findError;
    private final String sql;

    public CreateBulkAction(Database database) {
        this.database = database;
        this.count = new CountBulkJobs(database.schema(), COUNT_WITHIN);
        this.findError = new FindKindOfError(database.schema());
        this.sql = database.sql(SQL);
    }

    /**
     * Joins the caller's transaction.
     *
     * @param perSecond null: as fast as may be
     * @throws IllegalArgumentException if the filter has no condition, its jsonpath is none, or no job can match
     */
    public BulkAction run(
            TransactionStanding standing,
            BulkAction.Kind kind,
            JobFilter filter,
            @Nullable Integer perSecond,
            Actor by) {
        BulkKind bulk = BulkKind.of(kind);
        List<RoomCondition> conditions = bulk.conditions(filter);
        try {
            return database.joinedAtomically(standing, database.numbered(connection -> {
                Count counted = count.run(connection, conditions);
                return insert(connection, bulk, filter, perSecond, by, counted);
            }));
        } catch (DataAccessException e) {
            throw BoundedSearch.understood(filter, e);
        }
    }

    private @Nullable KindOfError errorOf(Connection connection, JobFilter filter) throws SQLException {
        String fingerprint = filter.fingerprint();
        return fingerprint == null ? null : findError.run(connection, fingerprint);
    }

    private BulkAction insert(
            Connection connection,
            BulkKind kind,
            JobFilter filter,
            @Nullable Integer perSecond,
            Actor by,
            Count counted)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, kind.label());
            statement.setString(2, BulkRow.json(filter));
            statement.setString(3, by.who());
            statement.setString(4, by.why());
            statement.setLong(5, counted.jobs());
            statement.setBoolean(6, counted.all());
            statement.setObject(7, perSecond, Types.INTEGER);
            statement.setString(8, BulkRow.json(errorOf(connection, filter)));
            statement.setString(9, filter.toString());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return Objects.requireNonNull(BulkRow.read(rows));
            }
        }
    }
}
