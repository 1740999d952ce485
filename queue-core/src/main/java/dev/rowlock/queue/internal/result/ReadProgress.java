package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How far the handler of a running job is. */
public final class ReadProgress {

    private static final String SQL =
            "SELECT progress, progress_note FROM rowlock.running WHERE id = ? AND progress IS NOT NULL";

    /** As the handler said last. */
    public record Row(int percent, @Nullable String note) {}

    private final Database database;
    private final String sql;

    public ReadProgress(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public Optional<Row> run(long id) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, id);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(new Row(row.getInt(1), row.getString(2))) : Optional.empty();
                }
            }
        });
    }
}
