package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds steps about which something is left to do. Waits for nobody. */
final class FindSteps {

    private static final String UNDECIDED = IndexPlan.LOOKS_PREFIX + """
            WITH looked AS MATERIALIZED (
                SELECT s.workflow_id, s.step_no, s.state
                  FROM rowlock.workflow w
                 CROSS JOIN LATERAL (
                       SELECT s.* FROM rowlock.workflow_step s
                        WHERE s.workflow_id = w.id AND s.step_no > CASE WHEN w.id > ? THEN -1 ELSE ? /* behind_step */ END
                        ORDER BY s.step_no LIMIT ?) AS s
                 WHERE w.id >= ? AND w.state IN ('running', 'failed')
                 ORDER BY w.id, s.step_no LIMIT ?
            ),
            """
            + Verdicts.of("SELECT workflow_id, step_no FROM looked WHERE state IN ('waiting', 'skipped')") + """
            SELECT l.workflow_id, l.step_no,
                   v.workflow_id IS NOT NULL AND (v.met OR l.state = 'waiting')
              FROM looked l
              LEFT JOIN verdict v ON v.workflow_id = l.workflow_id AND v.step_no = l.step_no
             ORDER BY l.workflow_id, l.step_no
            """;

    private static final String MOVING = IndexPlan.PREFIX + """
            SELECT workflow_id, step_no FROM rowlock.workflow_step
             WHERE moving AND (workflow_id, step_no) > (?, ?)
             ORDER BY workflow_id, step_no LIMIT ?
            """;

    // Closed ones have none: whoever closes waits for all who add.
    private static final String BUSY = IndexPlan.LOOKS_PREFIX + """
            SELECT s.workflow_id, s.step_no
              FROM unnest(?::bigint[], ?::int[]) AS t (workflow_id, step_no)
             CROSS JOIN LATERAL (
                   SELECT s.workflow_id, s.step_no FROM rowlock.workflow_step s
                    WHERE s.workflow_id = t.workflow_id AND s.step_no = t.step_no AND s.accepts OFFSET 0) AS s
              LEFT JOIN LATERAL (
                   SELECT f.step_no FROM rowlock.workflow_step f
                    WHERE f.workflow_id = s.workflow_id AND f.step_no = s.step_no
                      FOR UPDATE SKIP LOCKED) AS free ON true
             WHERE free.step_no IS NULL
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
    private final String undecided;
    private final String moving;
    private final String busy;

    public FindSteps(Database database) {
        this.database = database;
        this.undecided = database.sql(UNDECIDED);
        this.moving = database.sql(MOVING);
        this.busy = database.sql(BUSY);
    }

    /** Walks through the steps of workflows that run, and finds those about which somebody should have decided: looks at so many behind this one. */
    public Undecided undecided(StepKey behind, int limit) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, undecided)) {
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
        List<StepKey> found = new ArrayList<>();
        Set<Long> workflows = new LinkedHashSet<>();
        StepKey last = null;
        int looked = 0;
        try (ResultSet rows = IndexPlan.query(statement)) {
            while (rows.next()) {
                last = new StepKey(rows.getLong(1), rows.getInt(2));
                workflows.add(last.workflow());
                looked++;
                if (rows.getBoolean(3)) {
                    found.add(last);
                }
            }
        }
        return new Undecided(found, workflows, looked == limit ? last : null);
    }

    /** Finds steps whose jobs somebody was about to move, in order: the next ones behind this one. */
    public List<StepKey> moving(StepKey behind, int limit) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, moving)) {
                statement.setLong(1, behind.workflow());
                statement.setInt(2, behind.step());
                statement.setInt(3, limit);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    List<StepKey> steps = new ArrayList<>();
                    while (rows.next()) {
                        steps.add(StepKey.ROW.read(rows));
                    }
                    return steps;
                }
            }
        });
    }

    /**
     * Finds those of these steps that are open, to which transactions have added jobs while they waited, and have not ended. A step that has left waiting
     * gets no more of these. So once it is not found here, whoever walks through its jobs after that sees all that wait with it.
     */
    public Set<StepKey> busy(Collection<StepKey> steps) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, busy)) {
                StepKey.set(statement, 1, steps);
                Set<StepKey> found = new LinkedHashSet<>();
                try (ResultSet rows = IndexPlan.query(statement)) {
                    while (rows.next()) {
                        found.add(StepKey.ROW.read(rows));
                    }
                }
                return found;
            }
        });
    }
}
