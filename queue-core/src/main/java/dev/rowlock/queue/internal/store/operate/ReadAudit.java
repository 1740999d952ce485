package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.AuditFilter;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of the audit table, newest first. Reads the caller's transaction if there is one. */
public final class ReadAudit {

    private static final String SQL = """
            SELECT id, at, who, why, action, subject, detail, jobs, refused, refusal, bulk_action_id
              FROM rowlock.audit
             WHERE id < ?
               AND (?::text IS NULL OR who = ?) AND (?::text IS NULL OR action = ?)
               AND (?::text IS NULL OR strpos(lower(subject), lower(?)) > 0)
               AND at >= coalesce(?::timestamptz, '-infinity') AND at < coalesce(?::timestamptz, 'infinity')
             ORDER BY id DESC LIMIT ?
            """;

    private final Database database;

    public ReadAudit(Database database) {
        this.database = database;
    }

    public List<AuditEntry> run(AuditFilter filter, long before, int limit) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, database.sql(SQL))) {
                statement.setLong(1, before);
                statement.setString(2, filter.who());
                statement.setString(3, filter.who());
                statement.setString(4, filter.action());
                statement.setString(5, filter.action());
                statement.setString(6, filter.subject());
                statement.setString(7, filter.subject());
                statement.setString(8, text(filter.from()));
                statement.setString(9, text(filter.until()));
                statement.setInt(10, limit);
                try (ResultSet row = statement.executeQuery()) {
                    List<AuditEntry> page = new ArrayList<>();
                    while (row.next()) {
                        page.add(new AuditEntry(
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
                                Columns.number(row, 11)));
                    }
                    return page;
                }
            }
        });
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }
}
