package dev.rowlock.queue.internal.store.workflow;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Finds open steps to which transactions have added jobs while they waited, and have not ended. A step that has left waiting gets no more of these. So
 * once it is not found here, whoever walks through its jobs after that sees all that wait with it.
 */
public final class FindBusySteps {

    // Closed ones have none: whoever closes waits for all who add.
    private static final String SQL = """
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

    private final Database database;
    private final String sql;

    public FindBusySteps(Database database) {
        this.database = database;
        this.sql = database.sql(IndexPlan.LOOKS_PREFIX + SQL);
    }

    /** Those of these steps. */
    public Set<StepKey> run(Collection<StepKey> steps) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                StepKey.set(statement, 1, steps);
                Set<StepKey> busy = new LinkedHashSet<>();
                try (ResultSet rows = IndexPlan.query(statement)) {
                    while (rows.next()) {
                        busy.add(StepKey.ROW.read(rows));
                    }
                }
                return busy;
            }
        });
    }
}
