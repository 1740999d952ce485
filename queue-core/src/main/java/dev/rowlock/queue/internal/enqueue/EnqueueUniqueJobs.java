package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.TimeLimit;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.internal.enqueue.UniqueKeyStatements.TypedKey;
import dev.rowlock.queue.job.UniqueKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;

/**
 * Inserts jobs of which some have unique keys, unless their keys are held.
 *
 * <p>A key is held while its job is in waiting, ready or running, and until {@code held_until}. That is looked up by whoever asks
 * for the key: jobs move and end without a thought for keys.
 *
 * <p>A statement's snapshot is older than what it meets. A call that finds a key free, or no row for it, may have to wait
 * for another one that is just taking it. When that one has committed, the row names a job that the snapshot does not have, so
 * that the key looks free. Hence a row is only taken over if it names the job that the snapshot has seen in it. A call
 * that loses by that rule looks again, with a new snapshot. In a transaction with one snapshot for all its statements,
 * PostgreSQL reports a serialization failure instead; for a job that only that snapshot sees in its room, {@code unmoved} does.
 */
public final class EnqueueUniqueJobs {

    private static final String ASKED = """
            WITH asked AS MATERIALIZED (
                SELECT j.*, k.job_id AS holder,
                       -- One look by primary key for each; as EXISTS or as joins they could become scans of full rooms.
                       k.held_until > statement_timestamp()
                       OR (SELECT w.id FROM rowlock.waiting w WHERE w.id = k.job_id) IS NOT NULL
                       OR (SELECT r.id FROM rowlock.ready r WHERE r.id = k.job_id) IS NOT NULL
                       OR (SELECT r.id FROM rowlock.running r WHERE r.id = k.job_id) IS NOT NULL AS held
                  FROM (-- Rows come out of unnest, and ids out of the sequence, in the order of the arrays.
                        SELECT nextval('rowlock.job_id') AS id, a.*
                          FROM unnest(?::text[], ?::bigint[], %s) AS a (key, at_least_millis, %s)) AS j
                  LEFT JOIN rowlock.unique_key k ON k.type = j.type AND k.key = j.key
            ), taken AS (
                INSERT INTO rowlock.unique_key AS k (type, key, job_id, held_until)
                SELECT type, key, id, statement_timestamp() + at_least_millis * interval '1 ms'
                  FROM asked
                 WHERE key IS NOT NULL AND held IS NOT TRUE
                 ORDER BY type COLLATE "C", key COLLATE "C" -- so that two batches cannot deadlock
                ON CONFLICT (type, key) DO UPDATE SET job_id = excluded.job_id, held_until = excluded.held_until
                 -- The row may be newer than the snapshot that found it free. Without this, two jobs get one key.
                 WHERE k.job_id = (SELECT s.job_id FROM rowlock.unique_key s WHERE s.type = k.type AND s.key = k.key)
                RETURNING job_id
            ), created AS NOT MATERIALIZED (
                SELECT * FROM asked WHERE key IS NULL OR id IN (TABLE taken)
            """.formatted(NewJob.PARAMETERS, NewJob.COLUMNS);

    private static final String ANSWER = """
            SELECT key IS NULL OR id IN (TABLE taken) AS created, id, CASE WHEN held THEN rowlock.unmoved(holder) END AS holder
              FROM asked
             ORDER BY id
            """;

    /** Each time, somebody else must have taken the key between the snapshot and the look at the row. */
    static final int LOOKS = 10;

    /** The job that answers a request, and whether it is new. */
    public record Placed(long id, boolean created) {

        private Placed asHolder() {
            return new Placed(id, false);
        }
    }

    /** Enqueues those of these jobs whose unique keys are free, and says who holds the others. */
    private final String sql;

    /** Enqueues the same where some have large payloads. */
    private final String sqlWithLarge;

    public EnqueueUniqueJobs(Schema schema) {
        this.sql = schema.sql(ASKED + IntoRooms.READY_OR_WAITING + ANSWER);
        this.sqlWithLarge = schema.sql(ASKED + IntoRooms.ASIDE + IntoRooms.READY_OR_WAITING + ANSWER);
    }

    /**
     * Returns for each job, in the same order, what was inserted or who holds its key. Of several with the same key, the
     * first one counts. Outside a transaction, give it one job: several would not be all or none.
     *
     * @throws ConcurrencyFailureException if a key changes hands faster than it can be looked at
     */
    public List<Placed> run(Connection connection, List<NewJob> jobs) throws SQLException {
        int[] firsts = firstsWithTheirKey(jobs);
        @Nullable Placed[] placed = new Placed[firsts.length];
        List<Integer> open = IntStream.range(0, firsts.length)
                .filter(i -> firsts[i] == i)
                .boxed()
                .toList();
        for (int look = 0; !open.isEmpty(); look++) {
            if (look == LOOKS) {
                throw new ConcurrencyFailureException("unique key %s changed hands at each of %d looks: try again"
                        .formatted(jobs.get(open.get(0)).uniqueKey(), LOOKS));
            }
            look(connection, jobs, open, placed);
            open = open.stream().filter(i -> placed[i] == null).toList();
        }
        return IntStream.range(0, firsts.length)
                .mapToObj(i -> firsts[i] == i ? placed[i] : placed[firsts[i]].asHolder())
                .toList();
    }

    /** For each job the index of the first one with its key: mostly its own. */
    private static int[] firstsWithTheirKey(List<NewJob> jobs) {
        Map<TypedKey, Integer> firsts = new HashMap<>();
        int[] indexes = new int[jobs.size()];
        for (int i = 0; i < indexes.length; i++) {
            UniqueKey key = jobs.get(i).uniqueKey();
            Integer first = key == null
                    ? null
                    : firsts.putIfAbsent(new TypedKey(jobs.get(i).type(), key.value()), i);
            indexes[i] = first == null ? i : first;
        }
        return indexes;
    }

    /** Asks for the jobs with these indexes, and fills in those that are decided by that. */
    private void look(Connection connection, List<NewJob> jobs, List<Integer> open, @Nullable Placed[] placed)
            throws SQLException {
        List<NewJob> asked = open.stream().map(jobs::get).toList();
        String text = asked.stream().anyMatch(NewJob::large) ? sqlWithLarge : sql;
        try (PreparedStatement statement = UncachedPlan.prepare(connection, TimeLimit.before(connection, text))) {
            setKeys(statement, asked);
            NewJob.setAll(statement, 3, asked);
            try (ResultSet rows = TimeLimit.query(statement)) {
                for (int i : open) {
                    if (!rows.next()) {
                        throw new SQLException("fewer answers than the %d jobs asked for".formatted(open.size()));
                    }
                    placed[i] = placed(rows);
                }
            }
        }
    }

    /** Null: the key was taken after the snapshot, by nobody knows whom. */
    private static @Nullable Placed placed(ResultSet row) throws SQLException {
        if (row.getBoolean(1)) {
            return new Placed(row.getLong(2), true);
        }
        Long holder = Columns.number(row, 3);
        return holder == null ? null : new Placed(holder, false);
    }

    /** Sets the first two parameters: the keys, and how long they are held at least. */
    static void setKeys(PreparedStatement statement, List<NewJob> jobs) throws SQLException {
        statement.setObject(1, Columns.texts(jobs, job -> key(job, UniqueKey::value)));
        statement.setObject(2, Columns.millis(jobs, job -> key(job, EnqueueUniqueJobs::atLeast)));
    }

    private static @Nullable Duration atLeast(UniqueKey key) {
        return key.atLeast().isZero() ? null : key.atLeast();
    }

    private static <T> @Nullable T key(NewJob job, Function<UniqueKey, @Nullable T> part) {
        return job.uniqueKey() == null ? null : part.apply(job.uniqueKey());
    }
}
