package dev.rowlock.queue.internal.store.cleanup;

import dev.rowlock.queue.internal.store.Database;
import java.sql.PreparedStatement;

/** Removes nodes that left so long ago that no ended job names them. Reads the whole of dead: run it now and then. */
public final class RemovePastNodes {

    // Completed jobs are kept to the day, hence the two days on top. A wish for more than a thousand years is capped:
    // intervals end somewhere.
    private static final String SQL = """
            DELETE FROM rowlock.past_node
             WHERE id = ANY (ARRAY(
                   SELECT p.id FROM rowlock.past_node p
                    WHERE p.ended_at < statement_timestamp() - interval '2 days'
                          - (SELECT least(coalesce(max(done_millis), 0), 31556952000000) FROM rowlock.retention) * interval '1 ms'
                      AND NOT EXISTS (SELECT FROM rowlock.dead d WHERE d.node_id = p.id)
                    ORDER BY p.id LIMIT ?
                      FOR UPDATE SKIP LOCKED))
            """;

    private final Database database;
    private final String sql;

    public RemovePastNodes(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns how many were removed. */
    public int run(int limit) {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setInt(1, limit);
                return statement.executeUpdate();
            }
        });
    }
}
