package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.AuditFilter;
import java.sql.PreparedStatement;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of the audit table, newest first. Reads the caller's transaction if there is one. */
public final class ReadAudit {

    private static final String SQL = """
            SELECT %s
              FROM rowlock.audit AS a LEFT JOIN rowlock.bulk_action AS b ON b.id = a.bulk_action_id
             WHERE a.id < ?
               AND (?::text IS NULL OR a.who = ?) AND (?::text IS NULL OR a.action = ?)
               AND (?::text IS NULL OR strpos(lower(a.subject), lower(? COLLATE "C")) > 0)
               AND (a.bulk_action_id IS NULL OR NOT ?)
               AND a.at >= coalesce(?::timestamptz, '-infinity') AND a.at < coalesce(?::timestamptz, 'infinity')
             ORDER BY a.id DESC LIMIT ?
            """.formatted(AuditRow.COLUMNS);

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

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
                statement.setBoolean(8, filter.withoutBulk());
                statement.setString(9, text(filter.from()));
                statement.setString(10, text(filter.until()));
                statement.setInt(11, limit);
                return AuditRow.all(statement);
            }
        });
    }

    /** The server knows no times beyond these, and the audit has none. */
    private static @Nullable String text(@Nullable Instant time) {
        if (time == null) {
            return null;
        }
        return time.isBefore(EARLIEST) ? "-infinity" : time.isAfter(LATEST) ? "infinity" : time.toString();
    }
}
