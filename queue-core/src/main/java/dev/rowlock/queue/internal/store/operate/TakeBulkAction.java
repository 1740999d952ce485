package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** Locks a bulk action that goes on until the transaction ends. One that another node is working on is left to it. */
final class TakeBulkAction {

    private static final String COLUMNS =
            "SELECT id, kind, filter::text, after_id, last_id, created_at, per_second FROM rowlock.bulk_action";

    // One whose last batch lies in the future is due: the clock was set back, and next_at may be far away.
    private static final String DUE = COLUMNS + """
             WHERE state = 'running' AND (next_at <= statement_timestamp() OR batch_at > statement_timestamp())
             ORDER BY next_at, id LIMIT 1
               FOR UPDATE SKIP LOCKED
            """;

    private static final String BY_ID = COLUMNS + " WHERE state = 'running' AND id = ? FOR UPDATE SKIP LOCKED";

    private final String due;
    private final String byId;

    TakeBulkAction(Database database) {
        this.due = database.sql(DUE);
        this.byId = database.sql(BY_ID);
    }

    /** The one that has waited longest for a batch; null: none is due, or others are working on those that are. */
    @Nullable
    TakenAction due(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(due)) {
            return read(statement);
        }
    }

    /** This one; null: it does not go on, or somebody else is working on it. */
    @Nullable
    TakenAction byId(Connection connection, long id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(byId)) {
            statement.setLong(1, id);
            return read(statement);
        }
    }

    private static @Nullable TakenAction read(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return null;
            }
            int perSecond = row.getInt(7);
            Integer rate = row.wasNull() ? null : perSecond;
            return new TakenAction(
                    row.getLong(1),
                    BulkKind.of(row.getString(2)),
                    BulkRow.filter(row.getString(3)),
                    row.getLong(4),
                    row.getLong(5),
                    row.getObject(6, OffsetDateTime.class),
                    rate);
        }
    }
}
