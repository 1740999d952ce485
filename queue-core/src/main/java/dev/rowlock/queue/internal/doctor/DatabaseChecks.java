package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.destructive;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.fail;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.info;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.warn;
import static dev.rowlock.queue.internal.doctor.Check.check;
import static dev.rowlock.queue.internal.doctor.Check.statisticsCheck;

import dev.rowlock.queue.internal.db.ColdStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/** What in the database holds back vacuum, and what soon stops writes, connections or notifications? */
final class DatabaseChecks {

    static final List<Check> ALL = List.of(

            // An open transaction keeps vacuum from removing dead rows. A VACUUM holds back nobody, though it has a
            // snapshot. The query is not shown: its text may hold values.
            statisticsCheck("old-transaction", "No transaction has held back vacuum for long.")
                    .sql("""
                    SELECT a.pid, a.usename AS role, a.application_name AS application, a.state, clock_timestamp() - a.xact_start AS open_for,
                           age(coalesce(a.backend_xmin, a.backend_xid)) AS holds_back
                      FROM pg_stat_activity a
                     WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
                       AND coalesce(a.backend_xmin, a.backend_xid) IS NOT NULL
                       AND clock_timestamp() - a.xact_start > :open_minutes * interval '1 min'
                       AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
                     ORDER BY a.xact_start LIMIT 5""", Map.of("open_minutes", 5))
                    .finds(destructive(warn(
                            "The transaction of process {pid} (role {role}, {state}) has been open for {open_for}, and vacuum cannot remove rows that died since.",
                            "End the transaction where it was begun. If nobody can, end its session: its work is rolled back.",
                            "SELECT pg_terminate_backend({pid})"))),

            // A prepared transaction that nobody ends keeps its locks, and vacuum from removing dead rows.
            check("prepared-transaction", "No prepared transaction has been left for long.")
                    .sql("""
                    SELECT gid, quote_literal(gid) AS literal, owner, prepared, age(transaction) AS holds_back
                      FROM pg_prepared_xacts
                     WHERE database = current_database() AND clock_timestamp() - prepared > :prepared_minutes * interval '1 min'
                     ORDER BY prepared LIMIT 5""", Map.of("prepared_minutes", 5))
                    .finds(destructive(warn(
                            "The transaction {literal} was prepared at {prepared} and has not ended, and vacuum cannot remove rows that died since.",
                            "Ask its transaction manager how it ended there: commit it, or roll it back.",
                            "ROLLBACK PREPARED {literal}"))),

            // Nobody removes dead rows: autovacuum is off on the whole server, or for tables of ours.
            check("autovacuum-off", "Autovacuum is on.")
                    .sql("""
                    SELECT 'server' AS place, '' AS name WHERE current_setting('autovacuum') = 'off'
                    UNION ALL
                    SELECT 'table', CAST(CAST(t.oid AS regclass) AS text)
                      FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
                      CROSS JOIN LATERAL pg_options_to_table(t.reloptions) o
                     WHERE n.nspname = :schema AND t.relkind = 'r' AND o.option_name = 'autovacuum_enabled' AND NOT CAST(o.option_value AS boolean)
                     LIMIT 5""")
                    .finds(first -> first.is("place", "server")
                            ? fail(
                                    "Autovacuum is off on the whole server, so dead rows stay.",
                                    "Turn it on, and reload the configuration.",
                                    "ALTER SYSTEM SET autovacuum = on")
                            : fail(
                                    "Autovacuum is off for table {name}, so its dead rows stay.",
                                    "Let the table follow the server again.",
                                    "ALTER TABLE {name} RESET (autovacuum_enabled)")),

            // A replication slot without a reader keeps the write-ahead log until the disk is full.
            check("inactive-slot", "No replication slot has been left.")
                    .sql("""
                    SELECT s.slot_name, quote_literal(s.slot_name) AS literal, s.slot_type, pg_wal_lsn_diff(here.lsn, s.restart_lsn) AS kept_bytes, age(s.xmin) AS holds_back
                      FROM pg_replication_slots s
                      CROSS JOIN (SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END AS lsn) here
                     WHERE NOT s.active AND pg_wal_lsn_diff(here.lsn, s.restart_lsn) >= :bytes
                     ORDER BY 4 DESC LIMIT 5""", Map.of("bytes", 1 << 30))
                    .finds(destructive(warn(
                            "Nobody reads the replication slot {literal}, which keeps {kept_bytes} bytes of the write-ahead log.",
                            "Start its reader again. If there is none any more, drop the slot.",
                            "SELECT pg_drop_replication_slot({literal})"))),

            // A replication slot keeps vacuum from removing dead rows.
            check("held-by-slot", "No replication slot holds back vacuum by much.")
                    .sql("""
                    SELECT s.slot_name, quote_literal(s.slot_name) AS literal, s.slot_type, s.active, greatest(age(s.xmin), age(s.catalog_xmin)) AS holds_back,
                           CASE WHEN age(s.xmin) >= :transactions THEN 'all tables' ELSE 'the system catalogs' END AS dead_rows_of
                      FROM pg_replication_slots s
                     WHERE greatest(age(s.xmin), age(s.catalog_xmin)) >= :transactions
                     ORDER BY dead_rows_of, holds_back DESC LIMIT 5""", Map.of("transactions", 1_000_000))
                    .finds(first -> {
                        String cause =
                                "The replication slot {literal} holds back vacuum by {holds_back} transactions: dead rows of {dead_rows_of} stay.";
                        return first.is("active")
                                ? warn(
                                        cause,
                                        "Find out what its reader waits for: a long query on a standby, or a subscriber that lags.")
                                : destructive(warn(
                                        cause,
                                        "Start its reader again. If there is none any more, drop the slot.",
                                        "SELECT pg_drop_replication_slot({literal})"));
                    }),

            // A query on a standby keeps vacuum of the primary from removing dead rows. A standby with a slot holds it
            // back by that.
            statisticsCheck("standby-feedback", "No standby holds back vacuum by much.")
                    .sql("""
                    SELECT r.pid, r.application_name AS standby, r.client_addr AS address, age(r.backend_xmin) AS holds_back
                      FROM pg_stat_replication r WHERE age(r.backend_xmin) >= :transactions
                     ORDER BY 4 DESC LIMIT 5""", Map.of("transactions", 1_000_000))
                    .finds(warn(
                            "The standby '{standby}' (address {address}) holds back vacuum by {holds_back} transactions by its hot_standby_feedback.",
                            "End the long transaction on the standby, or turn hot_standby_feedback off there.")),

            // The server stops writing some two billion transactions, or multixacts, after the oldest row that is not
            // frozen.
            check("wraparound", "No database is near the end of transaction ids.")
                    .sql("""
                    SELECT d.datname AS database, age(d.datfrozenxid) AS transactions, mxid_age(d.datminmxid) AS multixacts,
                           greatest(age(d.datfrozenxid), mxid_age(d.datminmxid)) AS age
                      FROM pg_database d
                     WHERE greatest(age(d.datfrozenxid), mxid_age(d.datminmxid)) >= :warn_from
                     ORDER BY 4 DESC LIMIT 5""", Map.of("warn_from", 1_000_000_000, "fail_from", 1_600_000_000))
                    .finds(oldest -> warn(
                                    "The oldest row of database '{database}' is {transactions} transactions old (multixacts: {multixacts}); the server stops writing at 2.1 billion.",
                                    "End what holds back vacuum, if another finding names it. Then freeze old rows in that database.",
                                    "VACUUM (FREEZE)")
                            .failIf(oldest.number("age") >= oldest.number("fail_from"))),

            // Dead rows pile up, ten times as many as live ones, and no vacuum has come for this long, nor works on
            // them now.
            statisticsCheck("dead-rows", "No table has many dead rows that nobody removes.")
                    .sql("""
                    SELECT CAST(CAST(t.relid AS regclass) AS text) AS "table", t.n_dead_tup AS dead, t.n_live_tup AS live,
                           coalesce(CAST(greatest(t.last_vacuum, t.last_autovacuum) AS text), 'never') AS vacuumed
                      FROM pg_stat_all_tables t
                     WHERE t.schemaname = :schema AND t.n_dead_tup >= :rows AND t.n_dead_tup > 10 * t.n_live_tup
                       AND coalesce(greatest(t.last_vacuum, t.last_autovacuum), '-infinity') < clock_timestamp() - :unvacuumed_minutes * interval '1 min'
                       -- Other roles do not see which table a vacuum works on.
                       AND pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
                       AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.relid = t.relid)
                     ORDER BY 2 DESC LIMIT 5""", Map.of("rows", 10_000_000, "unvacuumed_minutes", 15))
                    .finds(warn(
                            "Table {table} has {dead} dead rows and {live} live ones. Its last vacuum: {vacuumed}. None works on it now.",
                            "Vacuum the table. If this comes again, give autovacuum more workers (autovacuum_max_workers) or less to wait for (autovacuum_naptime).",
                            "VACUUM {table}")),

            // A session that listens and stays in a transaction keeps the notifications of all. Commits that notify
            // fail once the queue is full.
            check("notification-queue", "The queue of notifications has room.")
                    .sql("""
                    SELECT round(CAST(q.part * 100 AS numeric), 4) AS percent, a.pid, a.usename AS role, a.state, clock_timestamp() - a.xact_start AS open_for
                      FROM (SELECT pg_notification_queue_usage() AS part) q
                      LEFT JOIN LATERAL (SELECT * FROM pg_stat_activity s
                                          WHERE s.xact_start IS NOT NULL AND s.backend_type = 'client backend' AND s.pid <> pg_backend_pid()) a ON true
                     WHERE q.part * 100 >= :warn_percent
                     ORDER BY a.xact_start LIMIT 5""", Map.of("warn_percent", 10.0, "fail_percent", 50.0))
                    .finds(first -> warn(
                                    "The queue of notifications is full to {percent} percent. Once it is full, commits that notify fail.",
                                    "A session that listens is in a transaction, and keeps them. The evidence shows the oldest transactions that this role sees: end the one whose session listens.")
                            .failIf(first.number("percent") >= first.number("fail_percent"))),

            // A session waits for a lock on a table of ours, to write or so that writers queue up behind it.
            check("lock-queue", "Nobody waits for long for a strong lock on the tables.")
                    .sql("""
                    SELECT l.pid, l.mode, CAST(CAST(l.relation AS regclass) AS text) AS "table", clock_timestamp() - l.waitstart AS waits_for,
                           b.pid AS blocked_by, -- 0 for a prepared transaction
                           coalesce(CASE b.pid WHEN 0 THEN 'A prepared transaction' ELSE 'Process ' || b.pid END, 'Nobody any more') AS in_the_way, a.usename AS role, a.state, clock_timestamp() - a.xact_start AS open_for
                      FROM pg_locks l JOIN pg_class t ON t.oid = l.relation JOIN pg_namespace n ON n.oid = t.relnamespace
                      JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
                      LEFT JOIN LATERAL unnest(pg_blocking_pids(l.pid)) AS b (pid) ON true LEFT JOIN pg_stat_activity a ON a.pid = b.pid
                     WHERE NOT l.granted AND l.locktype = 'relation' AND n.nspname = :schema
                       AND l.mode IN ('RowExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
                       AND clock_timestamp() - l.waitstart > :waits_seconds * interval '1 s'
                     ORDER BY l.waitstart, a.xact_start LIMIT 5""", Map.of("waits_seconds", 5))
                    .finds(first -> {
                        String cause =
                                "Process {pid} has waited for {waits_for} for a lock ({mode}) on {table}, and whoever comes after it to write waits behind it. {in_the_way} is in its way.";
                        return destructive(
                                first.is("mode", "RowExclusiveLock")
                                        ? fail(
                                                cause,
                                                "End the transaction that is in its way: it has locked the table.")
                                        : fail(
                                                cause,
                                                "Cancel the statement that waits, and run it later with a lock_timeout. Or end the transaction that is in its way.",
                                                "SELECT pg_cancel_backend({pid})"));
                    }),

            // The server soon refuses connections: this part of those for ordinary roles is taken.
            statisticsCheck("connections", "The server has connections left.")
                    .sql("""
                    SELECT used.role, used.application, used.connections, used.total, allowed.total AS allowed, used.blocked,
                           used.blocked * 4 > used.total AS many_blocked
                      FROM (SELECT a.usename AS role, a.application_name AS application, count(*) AS connections, sum(count(*)) OVER () AS total,
                                   sum(count(*) FILTER (WHERE a.wait_event_type = 'Lock')) OVER () AS blocked
                              FROM pg_stat_activity a WHERE a.backend_type = 'client backend' GROUP BY 1, 2) used
                      CROSS JOIN (SELECT CAST(current_setting('max_connections') AS int) - CAST(current_setting('superuser_reserved_connections') AS int)
                                         - CAST(coalesce(current_setting('reserved_connections', true), '0') AS int) AS total) allowed
                     WHERE used.total * 100 >= :percent * allowed.total
                     ORDER BY 3 DESC LIMIT 5""", Map.of("percent", 90))
                    .finds(first -> first.is("many_blocked")
                            ? warn(
                                    "{total} of the {allowed} connections for ordinary roles are taken, and {blocked} of them wait for locks.",
                                    "End what holds the locks: pg_blocking_pids() says who, and the finding lock-queue if it is a lock on our tables. Smaller pools would not help.")
                            : warn(
                                    "{total} of the {allowed} connections for ordinary roles are taken, most of them ({connections}) by role '{role}', application '{application}'.",
                                    "Make pools smaller, use a pooler, or raise max_connections (needs a restart).")),

            // What is set for the role leaves too little: this part of its connections is taken, or statements end
            // before Rowlock's have come to an end.
            check("role-limits", "The role may connect and work as it needs.")
                    .sql("""
                    SELECT 'connections' AS kind, current_user AS role, r.rolconnlimit::text AS allowed, used.connections::text AS used
                      FROM pg_roles r CROSS JOIN (SELECT count(*) AS connections FROM pg_stat_activity a WHERE a.usename = current_user) AS used
                     WHERE r.rolname = current_user AND r.rolconnlimit >= 0 AND used.connections * 100 >= :percent * r.rolconnlimit
                    UNION ALL
                    SELECT s.name, current_user, s.reset_val || ' ms', s.source FROM pg_settings s
                     WHERE s.name IN ('statement_timeout', 'lock_timeout') AND s.reset_val::bigint BETWEEN 1 AND :least_millis - 1
                     ORDER BY kind LIMIT 5""", Map.of("percent", 90, "least_millis", 1_000))
                    .finds(
                            first -> first.is("kind", "connections")
                                    ? warn(
                                            "Role {role} may have {allowed} connections and has {used}.",
                                            "Let it have more, or make its pools smaller.",
                                            "ALTER ROLE \"{role}\" CONNECTION LIMIT -1")
                                    : warn(
                                            "The {kind} of role {role} is {allowed}: statements of Rowlock that take longer fail, and are tried again.",
                                            "Let it be 30 s or more: by ALTER ROLE … SET, ALTER DATABASE … SET, postgresql.conf or the URL, wherever it was set.")),
            clock(InstantSource.system()),

            // Nothing can be written: the server is a standby, or transactions are read-only unless they say otherwise.
            check("read-only", "The database takes writes.")
                    .sql("""
                    SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') AS read_only
                     WHERE pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'""")
                    .finds(
                            first -> fail(
                                    first.is("standby")
                                            ? "This server is a standby, so nothing can be written."
                                            : "Transactions are read-only by default, so nothing can be written.",
                                    "Lead the application to the primary (targetServerType=primary), or turn default_transaction_read_only off.")));

    private DatabaseChecks() {}

    /** The clocks of the database and of this process differ by more than five seconds. */
    static Check clock(InstantSource clock) {
        return check("clock", "The clock of the database is that of this process.")
                .look(
                        "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS database_millis",
                        statement -> difference(clock, statement))
                .finds(found -> info(
                        "The clock of the database is %s ms %s that of this process, and jobs are due by the clock of the database."
                                .formatted(
                                        found.get("millis_ahead").replace("-", ""),
                                        found.number("millis_ahead") > 0 ? "ahead of" : "behind"),
                        "Let a time service (NTP) set the clocks of both machines."));
    }

    /** The database looks at its clock at some time between: how long the round trip takes is no difference. */
    private static List<Map<String, String>> difference(InstantSource clock, ColdStatement ask) throws SQLException {
        Instant before = clock.instant();
        Instant there = Instant.ofEpochMilli(ask.only(row -> row.getLong("database_millis")));
        Instant after = clock.instant();
        Instant here = there.isBefore(before) ? before : there.isAfter(after) ? after : there;
        long ahead = here.until(there, ChronoUnit.MILLIS);
        return Math.abs(ahead) <= 5_000
                ? List.of()
                : List.of(Map.of("database", there.toString(), "millis_ahead", Long.toString(ahead)));
    }
}
