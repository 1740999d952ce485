package dev.rowlock.queue.internal.store.policy;

import dev.rowlock.queue.internal.store.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;

/** Makes a node the one that asks the policy of a queue. */
public final class TakePolicy {

    // Whoever asks it now says so every few seconds, unless it gets no answers. Then others try, shortly before jobs go
    // on without the policy.
    private static final String SQL = """
            INSERT INTO rowlock.policy AS p (queue, node_id, decides_until, asked_at)
            SELECT ?, ?, now, now FROM clock_timestamp() AS now
            ON CONFLICT (queue) DO UPDATE
               SET node_id = excluded.node_id,
                   -- One that has passed stays: people want to know since when there is no answer.
                   decides_until = CASE WHEN p.decides_until <= excluded.asked_at + interval '1 min'
                                        THEN p.decides_until ELSE excluded.decides_until END,
                   asked_at = excluded.asked_at
             WHERE p.node_id IS NULL OR p.node_id = excluded.node_id
                OR p.decides_until NOT BETWEEN excluded.asked_at + ? * interval '1 ms' AND excluded.asked_at + interval '1 min'
                OR NOT EXISTS (SELECT FROM rowlock.node n WHERE n.id = p.node_id)
            RETURNING queue
            """;

    private static final String EXPECT = """
            INSERT INTO rowlock.policy AS p (queue, decides_until, asked_at)
            SELECT ?, now + ? * interval '1 ms', now FROM clock_timestamp() AS now
            ON CONFLICT (queue) DO UPDATE
               SET decides_until = excluded.decides_until, asked_at = excluded.asked_at
             WHERE p.decides_until NOT BETWEEN excluded.asked_at AND excluded.asked_at + interval '1 min'
            """;

    private final Database database;
    private final String sql;
    private final String expect;

    public TakePolicy(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
        this.expect = database.sql(EXPECT);
    }

    /** Jobs of the queue wait for the first answer of a policy for so long, unless they wait for one already. */
    public void expect(String queue, Duration time) {
        database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(expect)) {
                statement.setString(1, queue);
                statement.setLong(2, time.toMillis());
                return statement.executeUpdate();
            }
        });
    }

    /**
     * Returns whether this node asks the policy from now on.
     *
     * @param left others may take over when jobs wait for its answers for no longer than this
     */
    public boolean run(String queue, long nodeId, Duration left) {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, queue);
                statement.setLong(2, nodeId);
                statement.setLong(3, left.toMillis());
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next();
                }
            }
        });
    }
}
