package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.search.BoundedSearch;
import dev.rowlock.queue.internal.search.FilterConditions.RoomCondition;
import dev.rowlock.queue.internal.search.SealedTexts;
import dev.rowlock.queue.operate.Actor;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.operate.KindOfError;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobFilter.Criterion;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** What operators do with bulk actions: create, read and end them. Nodes do them: {@link DoBulkBatch}. */
public final class BulkActionStatements {

    /** More jobs are not counted. */
    private static final int MOST = 100_000;

    private static final Duration COUNT_WITHIN = Duration.ofSeconds(3);

    private static final String CANCELLED = "57014";

    /** Counts the jobs that a bulk action is for. */
    private static final String COUNT = "SELECT count(*) FROM (SELECT FROM rowlock.%s WHERE %s LIMIT %d) AS found";

    // No index knows the errors of live jobs: so no more of them are read than groups of errors are made of.
    private static final String KIND_OF_ERROR = """
            SELECT type, errors -> -1 ->> 'type', left(split_part(errors -> -1 ->> 'message', E'\\n', 1), 300)
              FROM ((SELECT type, errors FROM rowlock.dead WHERE fingerprint = :fingerprint ORDER BY id DESC LIMIT 1)
                     UNION ALL
                    (SELECT type, errors
                       FROM (SELECT type, errors FROM rowlock.waiting ORDER BY due_at, id LIMIT 10000) AS waiting
                      WHERE errors IS NOT NULL AND rowlock.error_fingerprint(errors -> -1) = :fingerprint LIMIT 1)) AS job
             LIMIT 1
            """;

    /** Writes a bulk action down for nodes to do. The id that is drawn stays nobody's: all jobs that come later have higher ones. */
    private static final String CREATE = """
            WITH created AS (
                INSERT INTO rowlock.bulk_action (kind, state, filter, who, why, created_at, counted, counted_all, last_id, per_second,
                                                 error, batch_at, next_at)
                VALUES (:kind, 'running', :filter::json, :who, :why, statement_timestamp(), :counted, :counted_all, nextval('rowlock.job_id'),
                        :per_second::int, :error::jsonb, statement_timestamp(), statement_timestamp())
                RETURNING *
            ), audited AS (
                INSERT INTO rowlock.audit (at, who, why, action, subject, detail, jobs, bulk_action_id)
                SELECT created_at, who, why, kind, :subject, CASE WHEN per_second IS NOT NULL THEN per_second || ' a second' END, 0, id
                  FROM created
            )
            SELECT %s FROM created
            """.formatted(BulkRow.COLUMNS);

    /** Reads a bulk action. */
    private static final String FIND = "SELECT " + BulkRow.COLUMNS + " FROM rowlock.bulk_action WHERE id = :id";

    private static final String LIST =
            "SELECT " + BulkRow.COLUMNS + " FROM rowlock.bulk_action WHERE id < :before ORDER BY id DESC LIMIT :limit";

    private static final String NEXT = """
            SELECT date_part('epoch', min(CASE WHEN batch_at > statement_timestamp() THEN statement_timestamp() ELSE next_at END)
                   - statement_timestamp())
              FROM rowlock.bulk_action WHERE state = 'running' AND id <> ALL (:without::bigint[])
            """;

    // Waits for the batch that is under way: it is done, or it is not.
    private static final String END = """
            WITH ended AS (
                UPDATE rowlock.bulk_action SET state = 'cancelled', ended_at = statement_timestamp()
                 WHERE id = :id AND state = 'running'
                RETURNING id
            )
            """ + AuditNote.ofNoJobs("ended") + "SELECT id FROM ended";

    /** Empty: another release has made it, of a kind that this one does not know. */
    private static final Row<Optional<BulkAction>> ACTION = row -> Optional.ofNullable(BulkRow.read(row));

    /**
     * How many jobs there are.
     *
     * @param all false: there are more, or the time was up
     */
    private record Count(long jobs, boolean all) {}

    private final Database database;

    public BulkActionStatements(Database database) {
        this.database = database;
    }

    /**
     * Counts the jobs that a bulk action is for, and writes it down for nodes to do. Joins the caller's transaction.
     *
     * @param perSecond null: as fast as may be
     * @throws IllegalArgumentException if the filter has no condition, its jsonpath is none, or no job can match
     */
    public BulkAction create(
            TransactionStanding standing,
            BulkAction.Kind kind,
            JobFilter filter,
            @Nullable Integer perSecond,
            Actor by) {
        BulkKind bulk = BulkKind.of(kind);
        List<RoomCondition> conditions = bulk.conditions(filter);
        try {
            return database.joinedAtomically(standing, database.numbered(connection -> {
                SealedTexts.refuse(database, connection, filter);
                Count counted = count(connection, conditions);
                return on(connection, CREATE)
                        .set("kind", bulk.label())
                        .set("filter", BulkRow.json(filter))
                        .set("who", by.who())
                        .set("why", by.why())
                        .set("counted", counted.jobs())
                        .set("counted_all", counted.all())
                        .set("per_second", perSecond)
                        .set("error", BulkRow.json(errorOf(connection, filter)))
                        .set("subject", filter.toString())
                        .only(row -> Objects.requireNonNull(BulkRow.read(row)));
            }));
        } catch (DataAccessException e) {
            throw BoundedSearch.understood(filter, e);
        }
    }

    /** Up to a limit, for a limited time: a count that takes too long leaves nothing behind in the transaction. */
    private Count count(Connection connection, List<RoomCondition> conditions) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SAVEPOINT rowlock_count");
            statement.execute("SET LOCAL statement_timeout = " + COUNT_WITHIN.toMillis());
            long jobs = 0;
            boolean all = true;
            try {
                for (RoomCondition condition : conditions) {
                    long found = count(connection, condition);
                    jobs += Math.min(found, MOST);
                    all &= found <= MOST;
                }
            } catch (SQLException e) {
                if (!CANCELLED.equals(e.getSQLState())) {
                    throw e;
                }
                all = false;
            }
            statement.execute("ROLLBACK TO SAVEPOINT rowlock_count");
            return new Count(Math.min(jobs, MOST), all && jobs <= MOST);
        }
    }

    private long count(Connection connection, RoomCondition condition) throws SQLException {
        return on(connection, COUNT.formatted(condition.room().table(), condition.sql(), MOST + 1))
                .set(condition.values())
                .only(row -> row.getLong(1));
    }

    /** The error that the filter asks for: of the newest dead job by index, or of one of the first waiting jobs. */
    private @Nullable KindOfError errorOf(Connection connection, JobFilter filter) throws SQLException {
        String fingerprint = filter.text(Criterion.FINGERPRINT);
        return fingerprint == null
                ? null
                : on(connection, KIND_OF_ERROR)
                        .set("fingerprint", fingerprint)
                        .first(row -> new KindOfError(row.getString(1), text(row, 2), text(row, 3)))
                        .orElse(null);
    }

    private static String text(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }

    /** Reads the caller's transaction if there is one. */
    public Optional<BulkAction> find(long id) {
        return database.joined(connection -> on(connection, FIND).set("id", id).first(ACTION))
                .flatMap(action -> action);
    }

    /** The newest ones with smaller ids than this one. Reads the caller's transaction if there is one. */
    public List<BulkAction> list(long before, int limit) {
        return database
                .joined(connection -> on(connection, LIST)
                        .set("before", before)
                        .set("limit", limit)
                        .list(ACTION))
                .stream()
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * How long until a batch is due; negative: one is. Empty: no action goes on.
     *
     * @param without the ids of those that do not count
     */
    public Optional<Duration> untilNext(long[] without) {
        return database.alone(connection -> on(connection, NEXT)
                .set("without", without)
                .only(row -> {
                    double seconds = row.getDouble(1);
                    return row.wasNull()
                            ? Optional.empty()
                            : Optional.of(Duration.ofMillis((long) Math.ceil(seconds * 1000)));
                }));
    }

    /** Ends a bulk action before it is finished. Joins the caller's transaction. Returns whether it was going on. */
    public boolean end(long id, AuditNote note) {
        return database.joined(connection -> on(connection, END)
                .set("id", id)
                .set(AuditNote.values(note))
                .first(row -> true)
                .isPresent());
    }

    private ColdStatement on(Connection connection, String sql) {
        return ColdStatement.on(connection, database.sql(sql));
    }
}
