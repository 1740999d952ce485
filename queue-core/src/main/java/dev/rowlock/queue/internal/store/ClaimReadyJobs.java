package dev.rowlock.queue.internal.store;

import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Moves the first ready jobs of a queue, from a cursor on, to running. */
public final class ClaimReadyJobs {

    // The sub-select makes LIMIT exact: as a join, SKIP LOCKED could lock more rows than it returns. Deleting by ctid
    // is safe because those rows are locked by this statement. A node that was declared dead can claim nothing more.
    // Large payloads stay behind until their job starts, so that a batch of them does not fill the node's memory.
    // Of those who want many jobs only a few may claim at the same time, the others come back later: each would have to
    // pass over all rows that the others hold, and three are enough to keep the server busy (50 nodes, per job: 23 µs
    // with three, 29 with four).
    private static final String SQL = IndexPlan.prefixAnd("""
            set_config('rowlock_claim.in_turn', (?::text IS NULL OR EXISTS (
                SELECT FROM generate_series(1, ?) AS turn (number)
                 WHERE pg_try_advisory_xact_lock(hashtextextended(?, number))))::text, true)""") + """
            WITH claimed AS (
                DELETE FROM rowlock.ready
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.ready
                        WHERE queue = ? AND (rank, ready_at, id) > (?, ?, ?) AND rank <= ?
                          AND (SELECT current_setting('rowlock_claim.in_turn')::boolean FROM rowlock.node WHERE id = ?)
                        ORDER BY queue, rank, ready_at, id
                        LIMIT ?
                          FOR UPDATE SKIP LOCKED))
                RETURNING *
            )
            INSERT INTO rowlock.running (id, token, node_id, ready_at, enqueued_at, claimed_at, deadline, timeout_millis,
                                         rank, attempt, crashes, max_retries, queue, type, payload, headers, errors)
            SELECT id, nextval('rowlock.claim_token'), ?, ready_at, enqueued_at, statement_timestamp(),
                   statement_timestamp() + coalesce(timeout_millis, (?::jsonb ->> type)::bigint) * interval '1 ms',
                   timeout_millis, rank, attempt + 1, crashes, max_retries, queue, type, payload, headers, errors
              FROM claimed
            RETURNING id, token, rank, date_part('epoch', ready_at), date_part('epoch', claimed_at - ready_at), type, attempt, crashes,
                      max_retries, timeout_millis, deadline,
                      CASE WHEN pg_column_size(payload) <= 65536 THEN payload END, headers
            """;

    /** So many may claim many jobs of one queue at the same time. */
    private static final int TURNS = 3;

    /** Claims of so many jobs, or fewer, need not wait for their turn. */
    public static final int FEW = 99;

    /**
     * What one claim brought.
     *
     * @param jobs in the order in which they should run
     * @param last the key of the last of them; null if there are none
     * @param took how long the statement took, without the wait for a connection
     * @param inTurn false: others are claiming many jobs of this queue, and nothing was looked at; try again in a moment
     */
    public record Batch(List<ClaimedJob> jobs, @Nullable QueuePosition last, Duration took, boolean inTurn) {

        private static final Batch NOT_IN_TURN = new Batch(List.of(), null, Duration.ZERO, false);
    }

    private final Database database;
    private final String sql;

    public ClaimReadyJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /**
     * Claims up to {@code limit} jobs that stand within the range.
     *
     * @param timeouts the listeners' timeouts as a JSON object of milliseconds by type, for jobs without their own
     */
    public Batch run(String queue, QueueRange range, int limit, long nodeId, @Nullable String timeouts) {
        return database.alone(connection -> {
            long begun = System.nanoTime();
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                String turn = limit <= FEW ? null : turn(queue);
                statement.setString(1, turn);
                statement.setInt(2, TURNS);
                statement.setString(3, turn);
                statement.setString(4, queue);
                statement.setInt(5, range.after().rank());
                statement.setObject(6, range.after().readyAt());
                statement.setLong(7, range.after().id());
                statement.setInt(8, range.maxRank());
                statement.setLong(9, nodeId);
                statement.setInt(10, limit);
                statement.setLong(11, nodeId);
                statement.setString(12, timeouts);
                boolean inTurn = Boolean.parseBoolean(IndexPlan.executeAndReadFirst(statement));
                try (ResultSet rows = IndexPlan.rows(statement)) {
                    return inTurn ? read(queue, rows, begun) : Batch.NOT_IN_TURN;
                }
            }
        });
    }

    /** Advisory locks are the database's: the schema tells ours from those of another Rowlock. */
    private String turn(String queue) {
        return "rowlock claim " + database.schema().name() + ' ' + queue;
    }

    /** Rows arrive in the order in which they lie on disk. */
    private static Batch read(String queue, ResultSet rows, long begun) throws SQLException {
        List<Positioned> claimed = new ArrayList<>();
        while (rows.next()) {
            QueuePosition position =
                    new QueuePosition(rows.getInt(3), QueuePosition.micros(rows.getDouble(4)), rows.getLong(1));
            claimed.add(new Positioned(position, job(queue, rows)));
        }
        claimed.sort((a, b) -> a.position.compareTo(b.position));
        QueuePosition last = claimed.isEmpty() ? null : claimed.get(claimed.size() - 1).position;
        return new Batch(
                claimed.stream().map(Positioned::job).toList(),
                last,
                Duration.ofNanos(System.nanoTime() - begun),
                true);
    }

    private static ClaimedJob job(String queue, ResultSet row) throws SQLException {
        Integer maxRetries = Columns.integer(row, 9);
        Duration timeout = Columns.duration(row, 10);
        Instant deadline = Columns.instant(row, 11);
        return new ClaimedJob(
                new Claim(row.getLong(1), row.getLong(2)),
                queue,
                row.getString(6),
                row.getInt(7),
                row.getInt(8),
                Duration.ofNanos(Math.max(0, Math.round(row.getDouble(5) * 1e9))),
                row.getString(12),
                row.getString(13),
                maxRetries,
                timeout,
                deadline);
    }

    private record Positioned(QueuePosition position, ClaimedJob job) {}
}
