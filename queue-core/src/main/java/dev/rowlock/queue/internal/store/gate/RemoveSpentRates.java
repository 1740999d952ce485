package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.internal.store.Database;
import java.sql.PreparedStatement;

/** Removes rows of {@code rate_state} that say nothing: there is a later one, or the rate has recovered from what it says. */
public final class RemoveSpentRates {

    private static final int LIMIT = 10_000;

    private static final String SQL = """
            DELETE FROM rowlock.rate_state
             WHERE ctid = ANY (ARRAY(
                   SELECT s.ctid FROM rowlock.rate_state s
                    WHERE greatest(s.next_at, s.held_until) < extract(epoch FROM clock_timestamp())
                       OR EXISTS (SELECT FROM rowlock.rate_state later
                                   WHERE later.queue = s.queue AND later.gate = s.gate AND later.number > s.number)
                    LIMIT ?))
            """;

    private final Database database;
    private final String sql;

    public RemoveSpentRates(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns how many rows. */
    public int run() {
        int removed = 0;
        int some;
        do {
            some = database.alone(connection -> {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    statement.setInt(1, LIMIT);
                    return statement.executeUpdate();
                }
            });
            removed += some;
        } while (some == LIMIT);
        return removed;
    }
}
