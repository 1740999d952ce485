package dev.rowlock.queue.internal.store.cleanup;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Writes into the table {@code figure} what holds back vacuum, how many dead rows our tables have, how large they are, how
 * full the server's queue of notifications is, and where the sequences stand. Reads catalogs and statistics only. What this role may not see is left out.
 */
public final class MeasureDatabase {

    // It waits for nobody: who changes a table by hand must not hold up the other chores.
    private static final String LIMITS = "SET LOCAL statement_timeout = '5s'; SET LOCAL lock_timeout = '200ms'";

    // Partitions count as their table, so that there is no new figure each day. A VACUUM holds back nobody.
    private static final String SQL = """
            WITH part AS (
                SELECT c.oid, coalesce(p.relname, c.relname)::text AS name
                  FROM pg_class c
                  LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
                  LEFT JOIN pg_class p ON p.oid = i.inhparent
                 WHERE c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = ?) AND c.relkind = 'r'
            ), old AS (
                SELECT age(coalesce(a.backend_xmin, a.backend_xid)) AS transactions, clock_timestamp() - a.xact_start AS open_for
                  FROM pg_stat_activity a
                 WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
                   AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
            ), prepared AS (
                SELECT age(p.transaction) AS transactions, clock_timestamp() - p.prepared AS open_for
                  FROM pg_prepared_xacts p WHERE p.database = current_database()
            ), seen AS (
                SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS all_sessions
            ), measured (name, detail, value) AS (
                SELECT 'horizon.transactions', 'transaction', coalesce(max(transactions), 0) FROM old HAVING (SELECT all_sessions FROM seen)
                UNION ALL
                SELECT 'horizon.transactions', 'prepared', coalesce(max(transactions), 0) FROM prepared
                UNION ALL
                SELECT 'horizon.transactions', 'slot', coalesce(max(greatest(age(s.xmin), age(s.catalog_xmin))), 0) FROM pg_replication_slots s
                UNION ALL
                SELECT 'horizon.transactions', 'standby', coalesce(max(age(r.backend_xmin)), 0)
                  FROM pg_stat_replication r HAVING (SELECT all_sessions FROM seen)
                UNION ALL
                SELECT 'transaction.age', '', coalesce(max(extract(epoch FROM open_for)), 0)
                  FROM (SELECT open_for FROM old WHERE transactions IS NOT NULL UNION ALL SELECT open_for FROM prepared) AS holder
                HAVING (SELECT all_sessions FROM seen)
                UNION ALL
                SELECT 'dead.rows', part.name, coalesce(sum(t.n_dead_tup), 0)
                  FROM part LEFT JOIN pg_stat_all_tables t ON t.relid = part.oid GROUP BY part.name
                UNION ALL
                SELECT 'table.size', part.name, sum(coalesce(pg_total_relation_size(part.oid), 0)) FROM part GROUP BY part.name
                UNION ALL
                SELECT 'notification.usage', '', pg_notification_queue_usage()
                UNION ALL
                -- For a server that gets the rows by logical replication, which leaves out sequences.
                SELECT 'sequence', s.sequencename, s.last_value FROM pg_sequences s
                 WHERE s.schemaname = ? AND s.sequencename IN ('job_id', 'claim_token', 'node_id') AND s.last_value IS NOT NULL
            ), gone AS (
                DELETE FROM rowlock.figure f
                 WHERE f.name NOT LIKE 'workflow%' AND f.name NOT LIKE 'policy.%' -- those are measured by MeasureFeatures
                   AND NOT EXISTS (SELECT FROM measured m WHERE m.name = f.name AND m.detail = f.detail)
            )
            INSERT INTO rowlock.figure AS f (name, detail, value, measured_at)
            SELECT name, detail, value, statement_timestamp() FROM measured
            ON CONFLICT (name, detail) DO UPDATE SET value = excluded.value, measured_at = excluded.measured_at
            """;

    private final Database database;
    private final String sql;

    public MeasureDatabase(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public void run() {
        database.atomically(this::measure);
    }

    private boolean measure(Connection connection) throws SQLException {
        try (Statement limits = connection.createStatement()) {
            limits.execute(LIMITS);
        }
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            statement.setString(1, database.schema().name());
            statement.setString(2, database.schema().name());
            return statement.execute();
        }
    }
}
