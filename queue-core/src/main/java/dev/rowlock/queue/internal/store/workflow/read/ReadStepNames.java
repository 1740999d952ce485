package dev.rowlock.queue.internal.store.workflow.read;

import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Reads names of steps of a workflow, for errors. */
public final class ReadStepNames {

    /** One more than an error names, so that it can say that there are more. */
    private static final int LIMIT = 21;

    private static final String SQL =
            "SELECT name FROM rowlock.workflow_step WHERE workflow_id = ? ORDER BY step_no LIMIT ?";

    private final String sql;

    public ReadStepNames(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** The first ones, in their order; empty: there is no such workflow. */
    public List<String> run(Connection connection, long workflow) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            statement.setLong(1, workflow);
            statement.setInt(2, LIMIT);
            Row<String> name = row -> row.getString(1);
            return name.all(statement);
        }
    }
}
