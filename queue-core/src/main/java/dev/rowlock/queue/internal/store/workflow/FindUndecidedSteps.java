package dev.rowlock.queue.internal.store.workflow;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Walks through the steps of workflows that run, and finds those about which somebody should have decided. Locks nothing. */
public final class FindUndecidedSteps {

    private static final String SQL =
            """
            WITH looked AS MATERIALIZED (
                SELECT s.workflow_id, s.step_no, s.state
                  FROM rowlock.workflow w
                 CROSS JOIN LATERAL (
                       SELECT s.* FROM rowlock.workflow_step s
                        WHERE s.workflow_id = w.id AND s.step_no > CASE WHEN w.id > ? THEN -1 ELSE ? END
                        ORDER BY s.step_no LIMIT ?) AS s
                 WHERE w.id >= ? AND w.state IN ('running', 'failed')
                 ORDER BY w.id, s.step_no LIMIT ?
            ),
            """ + Verdicts.of("SELECT workflow_id, step_no FROM looked WHERE state IN ('waiting', 'skipped')") + """
            SELECT l.workflow_id, l.step_no,
                   v.workflow_id IS NOT NULL AND (v.met OR l.state = 'waiting')
              FROM looked l
              LEFT JOIN verdict v ON v.workflow_id = l.workflow_id AND v.step_no = l.step_no
             ORDER BY l.workflow_id, l.step_no
            """;

    /**
     * What a look has found.
     *
     * @param workflows all whose steps were looked at
     * @param end the last step that was looked at; null: there is nothing behind it
     */
    public record Undecided(
            List<StepKey> steps,
            Set<Long> workflows,
            @Nullable StepKey end) {}

    private final Database database;
    private final String sql;

    public FindUndecidedSteps(Database database) {
        this.database = database;
        this.sql = database.sql(IndexPlan.LOOKS_PREFIX + SQL);
    }

    /** Looks at so many steps behind this one. */
    public Undecided run(StepKey behind, int limit) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setLong(1, behind.workflow());
                statement.setInt(2, behind.step());
                statement.setInt(3, limit);
                statement.setLong(4, behind.workflow());
                statement.setInt(5, limit);
                return read(statement, limit);
            }
        });
    }

    private static Undecided read(PreparedStatement statement, int limit) throws SQLException {
        List<StepKey> undecided = new ArrayList<>();
        Set<Long> workflows = new LinkedHashSet<>();
        StepKey last = null;
        int looked = 0;
        try (ResultSet rows = IndexPlan.query(statement)) {
            while (rows.next()) {
                last = new StepKey(rows.getLong(1), rows.getInt(2));
                workflows.add(last.workflow());
                looked++;
                if (rows.getBoolean(3)) {
                    undecided.add(last);
                }
            }
        }
        return new Undecided(undecided, workflows, looked == limit ? last : null);
    }
}
