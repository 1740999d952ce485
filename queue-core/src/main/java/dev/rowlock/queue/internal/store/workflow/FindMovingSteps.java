package dev.rowlock.queue.internal.store.workflow;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

/** Finds steps whose jobs somebody was about to move, in order. */
public final class FindMovingSteps {

    private static final String SQL = """
            SELECT workflow_id, step_no FROM rowlock.workflow_step
             WHERE moving AND (workflow_id, step_no) > (?, ?)
             ORDER BY workflow_id, step_no LIMIT ?
            """;

    private final Database database;
    private final String sql;

    public FindMovingSteps(Database database) {
        this.database = database;
        this.sql = database.sql(IndexPlan.PREFIX + SQL);
    }

    /** The next ones behind this one. */
    public List<StepKey> run(StepKey behind, int limit) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
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
}
