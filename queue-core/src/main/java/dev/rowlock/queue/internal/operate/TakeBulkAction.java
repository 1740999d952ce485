package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.search.JobFilter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks a bulk action that goes on until the transaction ends. One that another node is working on is left to it, and one that another
 * release has made in a way that this one cannot read is left to nodes of that release. Thread-safe.
 */
final class TakeBulkAction {

    private static final String COLUMNS =
            "SELECT id, kind, filter::text, after_id, last_id, created_at, per_second, stretch, locked_ids FROM rowlock.bulk_action";

    // One whose last batch lies in the future is due: the clock was set back, and next_at may be far away.
    private static final String DUE = COLUMNS + """
             WHERE state = 'running' AND (next_at <= statement_timestamp() OR batch_at > statement_timestamp())
               AND id <> ALL (?::bigint[])
             ORDER BY next_at, id LIMIT 1
               FOR UPDATE SKIP LOCKED
            """;

    private static final String BY_ID = COLUMNS + " WHERE state = 'running' AND id = ? FOR UPDATE SKIP LOCKED";

    private static final Logger log = LoggerFactory.getLogger(TakeBulkAction.class);

    private final String due;
    private final String byId;
    private final Set<Long> unreadable =
            ConcurrentHashMap.newKeySet(); // few: they go on, and a newer release has made them

    TakeBulkAction(Database database) {
        this.due = database.sql(DUE);
        this.byId = database.sql(BY_ID);
    }

    /** The one that has waited longest for a batch; null: none is due, or others are working on those that are. */
    @Nullable
    TakenAction due(Connection connection) throws SQLException {
        int known;
        TakenAction action;
        do {
            known = unreadable.size();
            try (PreparedStatement statement = connection.prepareStatement(due)) {
                statement.setObject(1, unreadable());
                action = read(statement);
            }
        } while (action == null && unreadable.size() > known);
        return action;
    }

    /** This one; null: it does not go on, or somebody else is working on it. */
    @Nullable
    TakenAction byId(Connection connection, long id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(byId)) {
            statement.setLong(1, id);
            return read(statement);
        }
    }

    /** The ids of those that this release cannot read. */
    long[] unreadable() {
        return unreadable.stream().mapToLong(Long::longValue).toArray();
    }

    private @Nullable TakenAction read(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return null;
            }
            Optional<BulkKind> kind = BulkKind.of(row.getString(2));
            Optional<JobFilter> filter = BulkRow.filter(row.getString(3));
            if (kind.isEmpty() || filter.isEmpty()) {
                if (unreadable.add(row.getLong(1))) {
                    log.warn(
                            "bulk action {} was made by a newer release of Rowlock; it is left to nodes of that release",
                            row.getLong(1));
                }
                return null;
            }
            int perSecond = row.getInt(7);
            Integer rate = row.wasNull() ? null : perSecond;
            return new TakenAction(
                    row.getLong(1),
                    kind.get(),
                    filter.get(),
                    row.getLong(4),
                    row.getLong(5),
                    row.getObject(6, OffsetDateTime.class),
                    rate,
                    row.getInt(8),
                    List.of((Long[]) row.getArray(9).getArray()));
        }
    }
}
