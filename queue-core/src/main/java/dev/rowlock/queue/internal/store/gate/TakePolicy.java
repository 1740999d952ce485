package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.internal.store.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;

/** Makes a node the one that asks the policy of a queue. */
public final class TakePolicy {

    // Whoever asks it now says so every few seconds, unless it gets no answers. Then others try, shortly before jobs go
    // without the policy.
    private static final String SQL = """
            INSERT INTO rowlock.queue_limit AS l (queue, declared, policy_by, policy_until, policy_asked_at)
            SELECT ?, true, ?, now, now FROM clock_timestamp() AS now
            ON CONFLICT (queue) DO UPDATE
               SET policy_by = excluded.policy_by,
                   policy_until = CASE WHEN l.policy_until > excluded.policy_until AND l.policy_until < excluded.policy_until + interval '1 min'
                                       THEN l.policy_until ELSE excluded.policy_until END,
                   policy_asked_at = excluded.policy_asked_at
             WHERE l.policy_by IS NULL OR l.policy_by = excluded.policy_by
                OR coalesce(l.policy_until NOT BETWEEN excluded.policy_until + ? * interval '1 ms' AND excluded.policy_until + interval '1 min', true)
                OR NOT EXISTS (SELECT FROM rowlock.node n WHERE n.id = l.policy_by)
            RETURNING queue
            """;

    private static final String HOLD = """
            INSERT INTO rowlock.queue_limit AS l (queue, declared, policy_until, policy_asked_at)
            SELECT ?, true, now + ? * interval '1 ms', now FROM clock_timestamp() AS now
            ON CONFLICT (queue) DO UPDATE
               SET policy_until = excluded.policy_until, policy_asked_at = excluded.policy_asked_at
             WHERE coalesce(l.policy_until NOT BETWEEN excluded.policy_asked_at AND excluded.policy_asked_at + interval '1 min', true)
            """;

    private final Database database;
    private final String sql;
    private final String hold;

    public TakePolicy(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
        this.hold = database.sql(HOLD);
    }

    /** Jobs of the queue wait for the first answer of a policy for so long, unless they wait for one already. */
    public void holdBack(String queue, Duration time) {
        database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(hold)) {
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
