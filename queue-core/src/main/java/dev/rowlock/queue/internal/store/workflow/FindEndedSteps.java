package dev.rowlock.queue.internal.store.workflow;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.util.Collection;
import java.util.List;

/** Of some steps, those without a job that has not ended. Of ten thousand ends of one step, only the last one has more to do. */
public final class FindEndedSteps {

    // Jobs mostly end in the order of their ids: the last one is the last that has not ended. From the front, each look
    // would walk over
    // what the others have left in the index.
    private static final String SQL = """
            SELECT t.workflow_id, t.step_no
              FROM unnest(?::bigint[], ?::int[]) AS t (workflow_id, step_no)
             WHERE (SELECT m.job_id FROM rowlock.workflow_job m
                     WHERE m.workflow_id = t.workflow_id AND m.state = 0 AND m.step_no = t.step_no
                     ORDER BY m.job_id DESC LIMIT 1) IS NULL
            """;

    private final Database database;
    private final String sql;

    public FindEndedSteps(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public List<StepKey> run(Collection<StepKey> steps) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                StepKey.set(statement, 1, steps);
                return StepKey.ROW.all(statement);
            }
        });
    }
}
