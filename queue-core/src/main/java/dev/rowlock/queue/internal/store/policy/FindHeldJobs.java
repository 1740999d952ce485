package dev.rowlock.queue.internal.store.policy;

import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Headers;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a policy may choose from, page by page, and the figures of its queue. */
public final class FindHeldJobs {

    /** So many jobs are a page. */
    public static final int PAGE = 1_000;

    private static final String FIGURES = IndexPlan.PREFIX + """
            SELECT p.node_id = ?,
                   CASE WHEN %s THEN extract(epoch FROM p.decides_until - clock_timestamp()) * 1000 ELSE 0 END,
                   EXISTS (SELECT FROM rowlock.queue_limit l WHERE l.queue = p.queue AND l.in_order IS NOT NULL),
                   (SELECT count(*) FROM rowlock.admitted_job a WHERE a.queue = p.queue),
                   EXISTS (SELECT FROM rowlock.held_job h WHERE h.queue = p.queue)
              FROM rowlock.policy p WHERE p.queue = ?
            """.formatted(PolicySql.DECIDES);

    // Jobs of paused types would only take the room of others.
    private static final String JOBS = IndexPlan.PREFIX + """
            SELECT h.job_id, w.type, w.job_key, h.rank, w.attempt, h.ready_at, w.enqueued_at, w.headers, h.due_at
              FROM rowlock.held_job h
              LEFT JOIN rowlock.waiting w ON w.id = h.job_id AND w.due_at = h.due_at AND w.reason = 'policy'
             WHERE h.queue = ? AND (h.rank, h.ready_at, h.job_id) > (?, ?, ?)
               AND (w.id IS NULL OR w.type <> ALL (ARRAY(SELECT name FROM rowlock.pause WHERE kind = 'type')))
             ORDER BY h.queue, h.rank, h.ready_at, h.job_id
             LIMIT ?
            """;

    private static final String RUNNING = """
            SELECT (SELECT count(*) FROM rowlock.running r WHERE r.queue = ?), clock_timestamp()
            """;

    // Somebody has cancelled the job, or has let it run, or has given it another due time. If it was held anew
    // meanwhile, it has another note.
    private static final String REMOVE = IndexPlan.PREFIX + """
            WITH gone AS (
                DELETE FROM rowlock.held_job h
                 USING unnest(?::bigint[], ?::timestamptz[]) AS s (job_id, due_at)
                 WHERE h.job_id = s.job_id AND h.due_at = s.due_at
                   AND NOT EXISTS (SELECT FROM rowlock.waiting w WHERE w.id = h.job_id AND w.due_at = h.due_at AND w.reason = 'policy')
                RETURNING 1
            )
            SELECT count(*) FROM gone
            """;

    /** Jobs behind these. */
    public record Place(int rank, @Nullable Instant readyAt, long id) {

        /** All jobs. */
        public static final Place FRONT = new Place(Short.MIN_VALUE, null, 0);
    }

    /**
     * @param own whether this node asks the policy
     * @param leftMillis how long the policy decides unless it answers again; 0: it does not
     * @param inOrder whether the jobs of each key run in order
     * @param admitted chosen, and not claimed yet
     * @param held whether jobs wait for the policy
     */
    public record Figures(boolean own, long leftMillis, boolean inOrder, int admitted, boolean held) {}

    /**
     * What a look at a page has found.
     *
     * @param before a place before the first of the jobs, and behind whatever stands before it; where there are none, the place of the look
     * @param next null on the last page
     */
    public record Page(
            List<WaitingJob> jobs, Place before, @Nullable Place next, int running, Instant now) {

        public Page without(Set<Long> ids) {
            return new Page(jobs.stream().filter(job -> !ids.contains(job.id())).toList(), before, next, running, now);
        }
    }

    private final Database database;
    private final String figures;
    private final String jobs;
    private final String running;
    private final String remove;

    public FindHeldJobs(Database database) {
        this.database = database;
        this.figures = database.sql(FIGURES);
        this.jobs = database.sql(JOBS);
        this.running = database.sql(RUNNING);
        this.remove = database.sql(REMOVE);
    }

    /** The figures; null: the queue has no policy. */
    public @Nullable Figures figures(String queue, long nodeId) {
        Optional<Figures> found = database.atOnce(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, figures)) {
                statement.setLong(1, nodeId);
                statement.setString(2, queue);
                try (ResultSet row = IndexPlan.query(statement)) {
                    return row.next() ? Optional.of(figures(row)) : Optional.empty();
                }
            }
        });
        return found.orElse(null);
    }

    private static Figures figures(ResultSet row) throws SQLException {
        return new Figures(row.getBoolean(1), row.getLong(2), row.getBoolean(3), row.getInt(4), row.getBoolean(5));
    }

    /** The page behind this place. */
    public Page page(String queue, Place place) {
        return database.alone(connection -> {
            List<Note> stale = new ArrayList<>();
            List<WaitingJob> found = new ArrayList<>();
            Place before = place;
            Place last = null;
            try (PreparedStatement statement = UncachedPlan.prepare(connection, jobs)) {
                statement.setString(1, queue);
                statement.setInt(2, place.rank());
                statement.setObject(
                        3,
                        place.readyAt() == null
                                ? OffsetDateTime.MIN
                                : place.readyAt().atOffset(ZoneOffset.UTC));
                statement.setLong(4, place.id());
                statement.setInt(5, PAGE);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    while (rows.next()) {
                        last = new Place(rows.getInt(4), Columns.instant(rows, 6), rows.getLong(1));
                        if (rows.getString(2) == null) {
                            stale.add(new Note(rows.getLong(1), Objects.requireNonNull(Columns.instant(rows, 9))));
                        } else {
                            before = found.isEmpty() ? new Place(last.rank(), last.readyAt(), last.id() - 1) : before;
                            found.add(job(rows));
                        }
                    }
                }
            }
            Place next = found.size() + stale.size() == PAGE ? last : null;
            if (!stale.isEmpty()) {
                remove(connection, stale);
            }
            try (PreparedStatement statement = connection.prepareStatement(running)) {
                statement.setString(1, queue);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return new Page(
                            found, before, next, row.getInt(1), Objects.requireNonNull(Columns.instant(row, 2)));
                }
            }
        });
    }

    /** That a job is held, and until when. */
    private record Note(long job, Instant dueAt) {}

    private void remove(java.sql.Connection connection, List<Note> stale) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, remove)) {
            statement.setObject(1, Columns.longs(stale, Note::job));
            statement.setObject(2, Columns.instants(stale, Note::dueAt));
            IndexPlan.query(statement).close();
        }
    }

    private static WaitingJob job(ResultSet row) throws SQLException {
        return new WaitingJob(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                -row.getInt(4),
                row.getInt(5),
                Objects.requireNonNull(Columns.instant(row, 6)),
                Objects.requireNonNull(Columns.instant(row, 7)),
                Headers.decode(row.getString(8)));
    }
}
