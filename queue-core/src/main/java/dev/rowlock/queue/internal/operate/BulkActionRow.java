package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.search.JobFilter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The row of a bulk action that goes on: a batch locks it until its transaction ends, and moves it on. One that another node is
 * working on is left to it, and one that another release has made in a way that this one cannot read is left to nodes of that
 * release. Thread-safe.
 */
final class BulkActionRow {

    private static final String COLUMNS =
            "SELECT id, kind, filter::text, after_id, last_id, created_at, per_second, stretch, locked_ids FROM rowlock.bulk_action";

    // One whose last batch lies in the future is due: the clock was set back, and next_at may be far away.
    private static final String DUE = COLUMNS + """
             WHERE state = 'running' AND (next_at <= statement_timestamp() OR batch_at > statement_timestamp())
               AND id <> ALL (:without::bigint[])
             ORDER BY next_at, id LIMIT 1
               FOR UPDATE SKIP LOCKED
            """;

    // Refused jobs in front of the place are never met again, and need not be known any more.
    private static final String ADVANCE = """
            WITH given AS (
                SELECT *
                  FROM (SELECT :action_id::bigint, :jobs::int, :after_id::bigint, :rest_millis::bigint, :refused_ids::bigint[], :refusal::text,
                               :locked_ids::bigint[], :quick_millis::bigint, :longest_stretch::int)
                    AS given (action_id, jobs, after_id, rest_millis, refused_ids, refusal, locked_ids, quick_millis, longest_stretch)
            ), advanced AS (
                UPDATE rowlock.bulk_action b
                   SET done = b.done + g.jobs, after_id = g.after_id, batch_at = statement_timestamp(),
                       next_at = statement_timestamp() + g.rest_millis * interval '1 ms',
                       refused = b.refused + cardinality(g.refused_ids), refusal = coalesce(g.refusal, b.refusal),
                       refused_ids = ARRAY(SELECT id FROM unnest(b.refused_ids || g.refused_ids) AS id WHERE id > g.after_id),
                       locked_ids = g.locked_ids,
                       stretch = CASE WHEN clock_timestamp() - transaction_timestamp() < g.quick_millis * interval '1 ms'
                                      THEN least(b.stretch::bigint * 2, g.longest_stretch) ELSE b.stretch END,
                       state = CASE WHEN g.after_id >= b.last_id AND cardinality(g.locked_ids) = 0 THEN 'finished' ELSE b.state END,
                       ended_at = CASE WHEN g.after_id >= b.last_id AND cardinality(g.locked_ids) = 0 THEN statement_timestamp() END
                  FROM given g
                 WHERE b.id = g.action_id
                RETURNING b.id, g.jobs, b.refused, b.refusal
            )
            UPDATE rowlock.audit a SET jobs = a.jobs + b.jobs, refused = b.refused, refusal = b.refusal
              FROM advanced b
             WHERE a.bulk_action_id = b.id
            """;

    private static final Logger log = LoggerFactory.getLogger(BulkActionRow.class);

    /**
     * What a batch has done.
     *
     * @param jobs how many it has moved
     * @param afterId the place that the action has reached
     * @param lockedIds the jobs up to there that somebody else has locked
     * @param refused the jobs that it has passed over
     * @param refusal why the last of them was refused; null: none was
     */
    record Step(
            int jobs,
            long afterId,
            List<Long> lockedIds,
            List<Long> refused,
            @Nullable String refusal) {}

    /** Locks the bulk action that has waited longest for a batch. */
    private final String due;

    /** Writes down what a batch has done: in the row of its bulk action, and in its audit line. */
    private final String advance;

    private final Set<Long> unreadable =
            ConcurrentHashMap.newKeySet(); // few: they go on, and a newer release has made them

    BulkActionRow(Database database) {
        this.due = database.sql(DUE);
        this.advance = database.sql(ADVANCE);
    }

    /** The one that has waited longest for a batch; null: none is due, or others are working on those that are. */
    @Nullable
    TakenAction due(Connection connection) throws SQLException {
        int known;
        TakenAction action;
        do {
            known = unreadable.size();
            action = ColdStatement.on(connection, due)
                    .set("without", unreadable())
                    .first(this::read)
                    .flatMap(read -> read)
                    .orElse(null);
        } while (action == null && unreadable.size() > known);
        return action;
    }

    /**
     * Writes down what a batch has done: in the row, and in the audit line.
     *
     * @param limit a transaction that took a quarter of this at most was quick: the next one looks at more jobs
     */
    void advance(Connection connection, TakenAction action, Step step, Duration limit) throws SQLException {
        ColdStatement.on(connection, advance)
                .set("action_id", action.id())
                .set("jobs", step.jobs)
                .set("after_id", step.afterId)
                .set("rest_millis", action.restMillis(step.jobs))
                .set("refused_ids", Columns.longs(step.refused, Long::longValue))
                .set("refusal", step.refusal)
                .set("locked_ids", Columns.longs(step.lockedIds, Long::longValue))
                .set("quick_millis", limit.toMillis() / 4)
                .set("longest_stretch", TakenAction.LONGEST_STRETCH)
                .update();
    }

    /** The ids of those that this release cannot read. */
    long[] unreadable() {
        return unreadable.stream().mapToLong(Long::longValue).toArray();
    }

    /** Empty: another release has made it. */
    private Optional<TakenAction> read(ResultSet row) throws SQLException {
        Optional<BulkKind> kind = BulkKind.of(row.getString(2));
        Optional<JobFilter> filter = BulkRow.filter(row.getString(3));
        if (kind.isEmpty() || filter.isEmpty()) {
            if (unreadable.add(row.getLong(1))) {
                log.warn(
                        "bulk action {} was made by a newer release of Rowlock; it is left to nodes of that release",
                        row.getLong(1));
            }
            return Optional.empty();
        }
        return Optional.of(new TakenAction(
                row.getLong(1),
                kind.get(),
                filter.get(),
                row.getLong(4),
                row.getLong(5),
                row.getObject(6, OffsetDateTime.class),
                Columns.integer(row, 7),
                row.getInt(8),
                Columns.longList(row, 9)));
    }

    /**
     * A bulk action whose row this transaction has locked, and how far it has come.
     *
     * @param stretch how many jobs a batch looks at, at most
     * @param lockedIds the jobs up to {@code afterId} that somebody else had locked
     */
    record TakenAction(
            long id,
            BulkKind kind,
            JobFilter filter,
            long afterId,
            long lastId,
            OffsetDateTime createdAt,
            @Nullable Integer perSecond,
            int stretch,
            List<Long> lockedIds) {

        /** How many jobs a batch looks at, if they do not take long. */
        static final int LONGEST_STRETCH = 10_000;

        /** So many locked jobs are remembered. With more of them, the action waits for one. */
        static final int MOST_LOCKED = 1_000;

        int roomForLocked() {
            return MOST_LOCKED - lockedIds.size();
        }

        /** Whether the locked jobs are next: there are no others, or too many are locked. */
        boolean comesBack() {
            return !lockedIds.isEmpty() && (afterId >= lastId || roomForLocked() <= 0);
        }

        /** A quarter of a second's jobs: more would come in a burst. */
        int most(int largest) {
            return perSecond == null ? largest : Math.max(1, Math.min(largest, (perSecond + 3) / 4));
        }

        /** How long the rate allows no further batch. */
        long restMillis(int jobs) {
            return perSecond == null ? 0 : jobs * 1000L / perSecond;
        }
    }
}
