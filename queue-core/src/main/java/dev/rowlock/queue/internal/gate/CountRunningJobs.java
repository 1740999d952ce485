package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.internal.db.Database;
import java.sql.PreparedStatement;

/**
 * Sees to it that jobs which were claimed before their queue had limits count against them. Claims do so too, within a minute after a
 * change; but where all threads are busy for longer, nobody claims.
 */
public final class CountRunningJobs {

    private static final int LIMIT = 1_000;

    // A claim that counts such jobs passes over those that are locked here, so only one of the two does so at a time.
    // Where claims go on, they count.
    private static final String SQL = """
            UPDATE rowlock.running SET gate = coalesce(job_key, '')
             WHERE ctid = ANY (ARRAY(
                   SELECT r.ctid FROM rowlock.running r
                    WHERE r.gate IS NULL
                      AND r.queue = ANY (ARRAY(
                          SELECT found.queue
                            FROM (SELECT DISTINCT l.queue FROM rowlock.queue_limit l JOIN rowlock.running j ON j.queue = l.queue AND j.gate IS NULL
                                   WHERE l.changed_at > clock_timestamp() - interval '1 hour') AS found
                           WHERE pg_try_advisory_xact_lock(hashtextextended(? || found.queue || ' ', 0))))
                    LIMIT ?
                      FOR NO KEY UPDATE SKIP LOCKED))
            """;

    private final Database database;

    /** Makes running jobs of queues that are limited by now count against their limit. */
    private final String sql;

    public CountRunningJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns how many did not count before. Some may be left if those were 1,000, and those of a queue that somebody is claiming from at that moment. */
    public int run() {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, HoldGate.lockPrefix(database.schema()));
                statement.setInt(2, LIMIT);
                return statement.executeUpdate();
            }
        });
    }
}
