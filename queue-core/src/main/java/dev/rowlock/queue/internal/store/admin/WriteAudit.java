package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Writes a line of the audit by itself, in the transaction of an action that takes several statements. */
public final class WriteAudit {

    private static final String SQL = """
            INSERT INTO rowlock.audit (at, who, why, action, subject, detail, jobs)
            SELECT statement_timestamp(), who, why, action, subject, detail, ?
              FROM (SELECT ?::text, ?::text, ?::text, ?::text, ?::text) AS note (who, why, action, subject, detail)
            """;

    private final String sql;

    public WriteAudit(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** @param jobs how many jobs the action has changed or made */
    public void run(Connection connection, AuditNote note, long jobs) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            statement.setLong(1, jobs);
            AuditNote.set(statement, 2, note);
            statement.executeUpdate();
        }
    }
}
