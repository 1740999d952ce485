package dev.rowlock.queue.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
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

    private static final String NOTE = """
            (SELECT :audit_who::text AS who, :audit_why::text AS why, :audit_action::text AS action, :audit_subject::text AS subject,
                    :audit_detail::text AS detail) AS note""";

    private static final String WITHIN = """
            , audited AS (
                INSERT INTO rowlock.audit (at, who, why, action, subject, detail, jobs)
                SELECT statement_timestamp(), who, why, action, subject, detail, %2$s
                  FROM %3$s
                 WHERE who IS NOT NULL AND EXISTS (SELECT FROM %1$s)
            )
            """;

    /** Writes an audit line. */
    private static final String ALONE = """
            INSERT INTO rowlock.audit (at, who, why, action, subject, detail, jobs)
            SELECT statement_timestamp(), who, why, action, subject, detail, :jobs
              FROM\s""" + NOTE;

    /** The part of a statement that writes the note if the common table expression of this name has a row. Its parameters are {@link #values}. */
    public static String of(String changed) {
        return WITHIN.formatted(changed, "(SELECT count(*) FROM %s)".formatted(changed), NOTE);
    }

    /** As {@link #of}, for what changes no job. */
    public static String ofNoJobs(String changed) {
        return WITHIN.formatted(changed, "0", NOTE);
    }

    /** @param note null: nothing is written */
    public static Map<String, @Nullable Object> values(@Nullable AuditNote note) {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("audit_who", note == null ? null : note.who);
        values.put("audit_why", note == null ? null : note.why);
        values.put("audit_action", note == null ? null : note.action);
        values.put("audit_subject", note == null ? null : note.subject);
        values.put("audit_detail", note == null ? null : note.detail);
        return values;
    }

    /**
     * Writes it by itself, in the transaction of an action that takes several statements.
     *
     * @param jobs how many jobs the action has changed or made
     */
    public void write(Connection connection, Schema schema, long jobs) throws SQLException {
        ColdStatement.on(connection, schema.sql(ALONE))
                .set(values(this))
                .set("jobs", jobs)
                .update();
    }
}
