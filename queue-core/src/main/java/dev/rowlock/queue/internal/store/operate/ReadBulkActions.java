package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.operate.BulkAction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Bulk actions as they are now. */
public final class ReadBulkActions {

    private static final String FIND = "SELECT " + BulkRow.COLUMNS + " FROM rowlock.bulk_action WHERE id = ?";

    private static final String LIST =
            "SELECT " + BulkRow.COLUMNS + " FROM rowlock.bulk_action WHERE id < ? ORDER BY id DESC LIMIT ?";

    private static final String NEXT = """
            SELECT date_part('epoch', min(CASE WHEN batch_at > statement_timestamp() THEN statement_timestamp() ELSE next_at END)
                   - statement_timestamp())
              FROM rowlock.bulk_action WHERE state = 'running' AND id <> ALL (?::bigint[])
            """;

    private final Database database;

    public ReadBulkActions(Database database) {
        this.database = database;
    }

    /** Reads the caller's transaction if there is one. */
    public Optional<BulkAction> find(long id) {
        return read(FIND, statement -> statement.setLong(1, id)).stream().findAny();
    }

    /** The newest ones with smaller ids than this one. Reads the caller's transaction if there is one. */
    public List<BulkAction> list(long before, int limit) {
        return read(LIST, statement -> {
            statement.setLong(1, before);
            statement.setInt(2, limit);
        });
    }

    /**
     * How long until a batch is due; negative: one is. Empty: no action goes on.
     *
     * @param without the ids of those that do not count
     */
    public Optional<Duration> untilNext(long[] without) {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(NEXT))) {
                statement.setObject(1, without);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    double seconds = row.getDouble(1);
                    return row.wasNull()
                            ? Optional.empty()
                            : Optional.of(Duration.ofMillis((long) Math.ceil(seconds * 1000)));
                }
            }
        });
    }

    private List<BulkAction> read(String text, Parameters parameters) {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(text))) {
                parameters.set(statement);
                try (ResultSet rows = statement.executeQuery()) {
                    List<BulkAction> actions = new ArrayList<>();
                    while (rows.next()) {
                        BulkAction action = BulkRow.read(rows);
                        if (action != null) {
                            actions.add(action);
                        }
                    }
                    return actions;
                }
            }
        });
    }

    @FunctionalInterface
    private interface Parameters {
        void set(PreparedStatement statement) throws SQLException;
    }
}
