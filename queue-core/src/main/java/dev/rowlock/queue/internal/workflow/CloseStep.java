package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.UncachedPlan;
import java.sql.PreparedStatement;

/** Closes a step to which jobs could be added. */
public final class CloseStep {

    private static final String SQL = """
            WITH turn AS MATERIALIZED (SELECT count(%s) AS taken)
            UPDATE rowlock.workflow_step SET accepts = false
             WHERE workflow_id = ? AND name = ? AND accepts AND (SELECT taken FROM turn) = 1
            """.formatted(StepLock.ALONE);

    private final Database database;
    private final String sql;

    public CloseStep(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Joins the caller's transaction; waits for those that are just adding jobs, and others that add wait for it. Returns whether it was open. */
    public boolean run(long workflow, String step) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setString(1, StepLock.prefix(database.schema()));
                statement.setLong(2, workflow);
                statement.setString(3, step);
                statement.setLong(4, workflow);
                statement.setString(5, step);
                return statement.executeUpdate() > 0;
            }
        });
    }
}
