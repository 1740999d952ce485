package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.ColdStatement;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.operate.KindOfError;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** An error that has this fingerprint: of the newest dead job by index, or of one of the first waiting jobs. */
final class FindKindOfError {

    // No index knows the errors of live jobs: so no more of them are read than groups of errors are made of.
    private static final String SQL = """
            SELECT type, errors -> -1 ->> 'type', left(split_part(errors -> -1 ->> 'message', E'\\n', 1), 300)
              FROM ((SELECT type, errors FROM rowlock.dead WHERE fingerprint = :fingerprint ORDER BY id DESC LIMIT 1)
                     UNION ALL
                    (SELECT type, errors
                       FROM (SELECT type, errors FROM rowlock.waiting ORDER BY due_at, id LIMIT 10000) AS waiting
                      WHERE errors IS NOT NULL AND rowlock.error_fingerprint(errors -> -1) = :fingerprint LIMIT 1)) AS job
             LIMIT 1
            """;

    private final String sql;

    FindKindOfError(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** Null: none of these jobs has it. */
    @Nullable
    KindOfError run(Connection connection, String fingerprint) throws SQLException {
        return ColdStatement.on(connection, sql)
                .set("fingerprint", fingerprint)
                .first(row -> new KindOfError(row.getString(1), text(row, 2), text(row, 3)))
                .orElse(null);
    }

    private static String text(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }
}
