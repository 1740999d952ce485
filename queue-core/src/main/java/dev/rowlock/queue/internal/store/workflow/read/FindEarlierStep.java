package dev.rowlock.queue.internal.store.workflow.read;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.internal.store.workflow.StepKey;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;

/** Walks from a step to those that it runs after, nearest first, until it meets a certain one. */
public final class FindEarlierStep {

    private static final String SQL = """
            WITH RECURSIVE earlier AS (
                SELECT ?::int AS step_no
                UNION
                SELECT e.parent_no FROM earlier s
                 CROSS JOIN LATERAL (
                       SELECT e.parent_no FROM rowlock.workflow_edge e
                        WHERE e.workflow_id = ? AND e.child_no BETWEEN s.step_no AND s.step_no
                        ORDER BY e.child_no, e.parent_no OFFSET 0) AS e -- in this order, because only one index has it
            )
            -- The server computes no more of the walk than is read.
            SELECT name, (SELECT true FROM earlier WHERE step_no = ? LIMIT 1)
              FROM rowlock.workflow_step WHERE workflow_id = ? AND step_no = ?
            """;

    /**
     * What it found.
     *
     * @param name of the later step
     */
    public record Found(String name, boolean runsAfter) {}

    private final Database database;
    private final String sql;

    public FindEarlierStep(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Whether a step runs after another one of its workflow, directly or indirectly. Empty: there is no such step. */
    public Optional<Found> run(StepKey later, int earlier) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setInt(1, later.step());
                statement.setLong(2, later.workflow());
                statement.setInt(3, earlier);
                statement.setLong(4, later.workflow());
                statement.setInt(5, later.step());
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(new Found(row.getString(1), row.getBoolean(2))) : Optional.empty();
                }
            }
        });
    }
}
