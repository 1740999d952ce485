package dev.rowlock.queue.internal.store.workflow.read;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.internal.store.workflow.Redriven;
import java.sql.PreparedStatement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which of these workflows have ended, and how. */
public final class FindEndedWorkflows {

    // Most have not ended. A look by primary key for each, and not a join, which a plan for an empty table makes with
    // all of it.
    private static final String SQL = """
            SELECT f.id, f.state
              FROM (SELECT a.id, (SELECT CASE WHEN %s THEN 'running' ELSE w.state END FROM rowlock.workflow w WHERE w.id = a.id) AS state
                      FROM unnest(?::bigint[]) AS a (id) OFFSET 0) AS f
             WHERE f.state IS NULL OR f.state NOT IN ('running', 'cancelling')
            """.formatted(Redriven.CONDITION);

    /** @param state null: there is no such workflow */
    public record Ended(long id, @Nullable String state) {}

    private static final Row<Ended> ROW = row -> new Ended(row.getLong(1), row.getString(2));

    private final Database database;
    private final String sql;

    public FindEndedWorkflows(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Outside the caller's transaction. */
    public List<Ended> run(long[] ids) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setObject(1, ids);
                return ROW.all(statement);
            }
        });
    }
}
