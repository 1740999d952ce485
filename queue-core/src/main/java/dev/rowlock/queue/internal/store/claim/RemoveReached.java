package dev.rowlock.queue.internal.store.claim;

import dev.rowlock.queue.internal.store.Database;
import java.sql.PreparedStatement;
import java.time.Duration;

/** Removes what claims have noted of how far they got, once no claim looks at it any more. */
public final class RemoveReached {

    private static final String SQL = """
            DELETE FROM rowlock.reached
             WHERE reached_at NOT BETWEEN clock_timestamp() - ? * interval '1 ms' AND clock_timestamp() + interval '1 min'
            """;

    private final Database database;
    private final String sql;

    public RemoveReached(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Removes what is older than this, or was noted before the clock was set back. Returns how much. */
    public int olderThan(Duration age) {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setLong(1, age.toMillis());
                return statement.executeUpdate();
            }
        });
    }
}
