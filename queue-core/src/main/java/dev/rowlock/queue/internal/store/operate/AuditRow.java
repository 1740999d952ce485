package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.operate.AuditEntry;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** Rows of the table {@code audit}, each with its bulk action if there is one. */
final class AuditRow {

    /** What {@link #all} reads: of {@code audit AS a LEFT JOIN bulk_action AS b}. */
    static final String COLUMNS =
            "a.id, a.at, a.who, a.why, a.action, a.subject, a.detail, a.jobs, a.refused, a.refusal, b.error, a.bulk_action_id";

    private AuditRow() {}

    static List<AuditEntry> all(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            List<AuditEntry> entries = new ArrayList<>();
            while (row.next()) {
                entries.add(new AuditEntry(
                        row.getLong(1),
                        row.getObject(2, OffsetDateTime.class).toInstant(),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getString(6),
                        row.getString(7),
                        row.getLong(8),
                        row.getLong(9),
                        row.getString(10),
                        BulkRow.error(row.getString(11)),
                        Columns.number(row, 12)));
            }
            return entries;
        }
    }
}
