package dev.rowlock.queue.internal.store.admin;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * Who did what, and why. The statement that acts writes it, so that there is no action without a line, nor a line without an action.
 *
 * @param subject such as {@code job 42}
 * @param detail how, such as the new priority
 */
public record AuditNote(
        String who,
        @Nullable String why,
        String action,
        String subject,
        @Nullable String detail) {

    /** How many parameters {@link #of} has. */
    public static final int PARAMETERS = 5;

    private static final String SQL = """
            , audited AS (
                INSERT INTO rowlock.audit (at, who, why, action, subject, detail, jobs)
                SELECT statement_timestamp(), who, why, action, subject, detail, %2$s
                  FROM (SELECT ?::text, ?::text, ?::text, ?::text, ?::text) AS note (who, why, action, subject, detail)
                 WHERE who IS NOT NULL AND EXISTS (SELECT FROM %1$s)
            )
            """;

    /** The part of a statement that writes the note if the common table expression of this name has a row. */
    public static String of(String changed) {
        return SQL.formatted(changed, "(SELECT count(*) FROM %s)".formatted(changed));
    }

    /** As {@link #of}, for what changes no job. */
    public static String ofNoJobs(String changed) {
        return SQL.formatted(changed, "0");
    }

    /** Sets the parameters from this one on; a null note: nothing is written. */
    public static void set(PreparedStatement statement, int first, @Nullable AuditNote note) throws SQLException {
        if (note == null) {
            for (int i = 0; i < PARAMETERS; i++) {
                statement.setNull(first + i, Types.VARCHAR);
            }
            return;
        }
        statement.setString(first, note.who);
        statement.setString(first + 1, note.why);
        statement.setString(first + 2, note.action);
        statement.setString(first + 3, note.subject);
        statement.setString(first + 4, note.detail);
    }
}
