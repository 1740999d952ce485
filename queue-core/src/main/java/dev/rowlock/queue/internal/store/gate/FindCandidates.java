package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Headers;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Row;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a policy may choose from, page by page, and the figures of its queue. */
public final class FindCandidates {

    /** So many jobs without keys, and about so many with keys, are a page. */
    private static final int HALF = 500;

    private static final int KEYS = 200;

    private static final Comparator<WaitingJob> IN_ORDER = Comparator.comparingInt((WaitingJob job) -> -job.priority())
            .thenComparing(WaitingJob::readyAt)
            .thenComparingLong(WaitingJob::id);

    private static final String FIGURES = IndexPlan.PREFIX + """
            SELECT l.queue, %s,
                   l.policy_by = ?,
                   l.of_keys,
                   (SELECT count(*) FROM rowlock.ready r WHERE r.queue = l.queue AND r.admitted IS NOT NULL),
                   (SELECT count(*) FROM rowlock.running r WHERE r.queue = l.queue AND r.gate IS NOT NULL),
                   clock_timestamp(),
                   coalesce(l.policy_until BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 min', false)
              FROM rowlock.queue_limit l WHERE l.queue = ?
            """.formatted(LimitColumns.NAMES);

    // Of keys the first jobs each: more of each where there are few keys. Jobs of paused types would only take the room
    // of others.
    private static final String PAGE = IndexPlan.PREFIX + """
            WITH RECURSIVE paused AS MATERIALIZED (
                SELECT coalesce(array_agg(name), '{}') AS types FROM rowlock.pause WHERE kind = 'type'
            ), plain AS MATERIALIZED (
                SELECT id, type, job_key, rank, attempt, ready_at, enqueued_at, headers FROM rowlock.ready
                 WHERE queue = ? AND job_key IS NULL AND (rank, ready_at, id) > (?, ?, ?)
                   AND admitted IS NULL AND type <> ALL ((SELECT types FROM paused)::text[])
                 ORDER BY queue, rank, ready_at, id
                 LIMIT ?
            ), walk AS (
                (SELECT job_key, 1 AS number FROM rowlock.ready
                  WHERE queue = ? AND job_key > ? ORDER BY queue, job_key LIMIT 1)
                UNION ALL
                SELECT (SELECT r.job_key FROM rowlock.ready r
                         WHERE r.queue = ? AND r.job_key > w.job_key ORDER BY r.queue, r.job_key LIMIT 1), w.number + 1
                  FROM walk w
                 WHERE w.job_key IS NOT NULL AND w.number < ?
            ), key AS MATERIALIZED (
                SELECT job_key FROM walk WHERE job_key IS NOT NULL
            )
            SELECT *, false FROM plain
            UNION ALL
            SELECT first.*, (SELECT count(*) = ? FROM key)
              FROM key CROSS JOIN LATERAL (
                   SELECT r.id, r.type, r.job_key, r.rank, r.attempt, r.ready_at, r.enqueued_at, r.headers FROM rowlock.ready r
                    WHERE r.queue = ? AND r.job_key = key.job_key
                      AND r.admitted IS NULL AND r.type <> ALL ((SELECT types FROM paused)::text[])
                    ORDER BY r.queue, r.job_key, r.rank, r.id
                    LIMIT ? / greatest(1, (SELECT count(*) FROM key))) AS first
            """;

    /** Jobs behind these, in each of the two orders. */
    public record Place(int rank, @Nullable Instant readyAt, long id, String key) {

        /** All jobs. */
        public static final Place FRONT = new Place(Short.MIN_VALUE, null, 0, "");

        private static final Place END_OF_PLAIN = new Place(Short.MAX_VALUE, null, 0, "");
    }

    /**
     * @param own whether this node asks the policy
     * @param keysLimited whether something limits the keys of the queue
     * @param held whether jobs wait for the policy
     */
    public record Figures(
            QueueLimit limit, boolean own, boolean keysLimited, int admitted, int running, Instant now, boolean held) {}

    /**
     * @param jobs in their normal order
     * @param next where the next page begins; null: there is none
     */
    public record Page(List<WaitingJob> jobs, @Nullable Place next) {}

    private record Found(WaitingJob job, boolean moreKeys) {}

    private static final Row<Found> FOUND = row -> new Found(
            new WaitingJob(
                    row.getLong(1),
                    row.getString(2),
                    row.getString(3),
                    -row.getInt(4),
                    row.getInt(5),
                    Objects.requireNonNull(Columns.instant(row, 6)),
                    Objects.requireNonNull(Columns.instant(row, 7)),
                    Headers.decode(row.getString(8))),
            row.getBoolean(9));

    private final Database database;
    private final String figures;
    private final String page;

    public FindCandidates(Database database) {
        this.database = database;
        this.figures = database.sql(FIGURES);
        this.page = database.sql(PAGE);
    }

    /** The figures; null: the queue has neither limit nor policy. */
    public @Nullable Figures figures(String queue, long nodeId) {
        return database.alone(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, figures)) {
                statement.setLong(1, nodeId);
                statement.setString(2, queue);
                try (ResultSet row = IndexPlan.query(statement)) {
                    return row.next()
                            ? new Figures(
                                    LimitColumns.LIMIT.read(row),
                                    row.getBoolean(11),
                                    row.getBoolean(12),
                                    row.getInt(13),
                                    row.getInt(14),
                                    Objects.requireNonNull(Columns.instant(row, 15)),
                                    row.getBoolean(16))
                            : null;
                }
            }
        });
    }

    /** The page that begins there. */
    public Page page(String queue, Place place) {
        return database.alone(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, page)) {
                statement.setString(1, queue);
                statement.setInt(2, place.rank());
                statement.setObject(
                        3,
                        place.readyAt() == null
                                ? OffsetDateTime.MIN
                                : place.readyAt().atOffset(ZoneOffset.UTC));
                statement.setLong(4, place.id());
                statement.setInt(5, HALF);
                statement.setString(6, queue);
                statement.setString(7, place.key());
                statement.setString(8, queue);
                statement.setInt(9, KEYS);
                statement.setInt(10, KEYS);
                statement.setString(11, queue);
                statement.setInt(12, HALF);
                List<Found> found = new ArrayList<>();
                try (ResultSet rows = IndexPlan.query(statement)) {
                    while (rows.next()) {
                        found.add(FOUND.read(rows));
                    }
                }
                return new Page(found.stream().map(Found::job).sorted(IN_ORDER).toList(), next(found));
            }
        });
    }

    private static @Nullable Place next(List<Found> found) {
        List<WaitingJob> plain =
                found.stream().map(Found::job).filter(job -> job.key() == null).toList();
        String lastKey = found.stream()
                .filter(Found::moreKeys)
                .map(one -> Objects.requireNonNull(one.job().key()))
                .max(Comparator.naturalOrder())
                .orElse(null);
        if (plain.size() < HALF && lastKey == null) {
            return null;
        }
        String key = lastKey == null ? String.valueOf(Character.MAX_VALUE) : lastKey;
        if (plain.size() < HALF) {
            return new Place(Place.END_OF_PLAIN.rank(), null, 0, key);
        }
        WaitingJob last = plain.get(plain.size() - 1);
        return new Place(-last.priority(), last.readyAt(), last.id(), key);
    }
}
