package dev.rowlock.queue.internal.store.unique;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Finds out what the jobs that hold keys are doing, and locks those that have not started and may be changed. A locked job is
 * passed over by claims, so it does not start before the transaction ends.
 */
public final class FindKeyHolders {

    private static final String SQL = """
            SELECT CASE WHEN NOT a.locks AND (look.attempt = 0 AND look.anew OR NOT a.only_idle AND look.attempt IS NOT NULL)
                        THEN rowlock.unmoved(k.job_id) ELSE k.job_id END AS job_id,
                   coalesce(k.held_until > statement_timestamp(), false) AS held_longer,
                   look.attempt IS NOT NULL AS live, coalesce(look.attempt = 0 AND look.anew, false) AS idle,
                   w.id IS NOT NULL OR r.id IS NOT NULL AS locked
              FROM unnest(?::text[], ?::text[], ?::boolean[], ?::boolean[]) WITH ORDINALITY AS a (type, key, locks, only_idle, place)
             -- One look by primary key for each; as joins they could become scans of full tables. A running job is at its first
             -- attempt at least. One with a checkpoint has started, also where its attempt did not count: a snooze, or a shutdown.
             CROSS JOIN LATERAL (SELECT * FROM rowlock.unique_key k WHERE k.type = a.type AND k.key = a.key LIMIT 1) AS k
             CROSS JOIN LATERAL (SELECT coalesce((SELECT w.attempt FROM rowlock.waiting w WHERE w.id = k.job_id),
                                                 (SELECT r.attempt FROM rowlock.ready r WHERE r.id = k.job_id),
                                                 (SELECT r.attempt FROM rowlock.running r WHERE r.id = k.job_id)) AS attempt,
                                       (SELECT c.job_id FROM rowlock.checkpoint c WHERE c.job_id = k.job_id) IS NULL AS anew) AS look
              LEFT JOIN LATERAL (SELECT w.id FROM rowlock.waiting w WHERE w.id = k.job_id AND a.locks AND look.anew AND w.attempt = 0
                                    FOR UPDATE) AS w ON true
              LEFT JOIN LATERAL (SELECT r.id FROM rowlock.ready r WHERE r.id = k.job_id AND a.locks AND look.anew AND r.attempt = 0
                                    FOR UPDATE) AS r ON true
             ORDER BY a.place
            """;

    /**
     * The job that a key names.
     *
     * @param heldLonger whether the key's time has not passed
     * @param live whether the job may still run, or runs
     * @param idle whether it is live and has not started
     * @param locked whether it is idle, and stays so until the transaction ends
     */
    public record Holder(long id, boolean heldLonger, boolean live, boolean idle, boolean locked) {}

    private final String sql;

    public FindKeyHolders(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /**
     * Answers for each key, in the same order. In a transaction that has locked them all.
     *
     * @param locks whether the key's job is locked if it has not started
     * @param onlyIdle whether the key is held only by a job that has not started: for those whose jobs are not locked
     */
    public List<Holder> run(
            Connection connection, List<TypedKey> keys, Predicate<Integer> locks, Predicate<Integer> onlyIdle)
            throws SQLException {
        boolean[] flags = new boolean[keys.size()];
        boolean[] idle = new boolean[keys.size()];
        for (int i = 0; i < flags.length; i++) {
            flags[i] = locks.test(i);
            idle[i] = onlyIdle.test(i);
        }
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            statement.setObject(1, Columns.texts(keys, TypedKey::type));
            statement.setObject(2, Columns.texts(keys, TypedKey::key));
            statement.setObject(3, flags);
            statement.setObject(4, idle);
            List<Holder> holders = new ArrayList<>(flags.length);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    holders.add(new Holder(
                            rows.getLong(1),
                            rows.getBoolean(2),
                            rows.getBoolean(3),
                            rows.getBoolean(4),
                            rows.getBoolean(5)));
                }
            }
            if (holders.size() != flags.length) {
                throw new SQLException("%d answers for %d unique keys".formatted(holders.size(), flags.length));
            }
            return holders;
        }
    }
}
