package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import java.sql.PreparedStatement;
import java.util.List;

/** Forgets policies that no node has any more. Their queues have gone on without them before; now their claims cost no more than others. */
public final class ForgetPolicies {

    private static final int LIMIT = 100;

    private static final String SQL = """
            WITH stale AS MATERIALIZED (
                SELECT queue, declared AND num_nonnulls(%1$s) = 0 AS alone
                  FROM rowlock.queue_limit, clock_timestamp() AS now
                 WHERE policy_until IS NOT NULL
                   AND policy_until NOT BETWEEN now AND now + interval '1 min'
                   AND coalesce(policy_asked_at NOT BETWEEN now - interval '1 min' AND now + interval '1 min', true)
                 ORDER BY queue
                 LIMIT ?
                   FOR UPDATE OF queue_limit SKIP LOCKED
            ), gone AS (
                DELETE FROM rowlock.queue_limit WHERE queue IN (SELECT queue FROM stale WHERE alone) RETURNING queue
            ), kept AS (
                UPDATE rowlock.queue_limit SET policy_by = NULL, policy_until = NULL, policy_asked_at = NULL
                 WHERE queue IN (SELECT queue FROM stale WHERE NOT alone)
                RETURNING queue
            )
            SELECT queue FROM gone UNION ALL SELECT queue FROM kept
            """.formatted(LimitColumns.NAMES);

    private static final Row<String> QUEUE = row -> row.getString(1);

    private final Database database;
    private final String sql;

    public ForgetPolicies(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns the queues. */
    public List<String> run() {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setInt(1, LIMIT);
                return QUEUE.all(statement);
            }
        });
    }
}
