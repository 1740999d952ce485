package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down what a batch has done: in the row of its bulk action, which this transaction has locked, and in the audit line. */
final class AdvanceBulkAction {

    // Refused jobs in front of the place are never met again, and need not be known any more.
    private static final String SQL = """
            WITH given AS (
                SELECT *
                  FROM (SELECT ?::bigint, ?::int, ?::bigint, ?::bigint, ?::bigint[], ?::text, ?::bigint[], ?::bigint, ?::int)
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

    private final String sql;

    AdvanceBulkAction(Database database) {
        this.sql = database.sql(SQL);
    }

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

    /** @param limit a transaction that took a quarter of this at most was quick: the next one looks at more jobs */
    void run(Connection connection, TakenAction action, Step step, Duration limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, action.id());
            statement.setInt(2, step.jobs);
            statement.setLong(3, step.afterId);
            statement.setLong(4, action.restMillis(step.jobs));
            statement.setArray(5, connection.createArrayOf("bigint", step.refused.toArray()));
            statement.setString(6, step.refusal);
            statement.setArray(7, connection.createArrayOf("bigint", step.lockedIds.toArray()));
            statement.setLong(8, limit.toMillis() / 4);
            statement.setInt(9, TakenAction.LONGEST_STRETCH);
            statement.executeUpdate();
        }
    }
}
