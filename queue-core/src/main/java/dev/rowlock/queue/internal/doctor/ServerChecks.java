package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.fail;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.info;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.warn;
import static dev.rowlock.queue.internal.doctor.Check.check;
import static dev.rowlock.queue.internal.doctor.Look.SCHEMA;
import static dev.rowlock.queue.internal.doctor.Look.sql;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import javax.sql.DataSource;

/** Checks about the server: what holds back vacuum, and what soon stops writes, connections or notifications. */
final class ServerChecks {

    /** In the order of their findings. */
    static final List<Check> ALL = List.of(
            oldTransaction(Duration.ofMinutes(5)),
            preparedTransaction(Duration.ofMinutes(5)),
            oldPause(Duration.ofDays(1)),
            invalidIndex(),
            autovacuumOff(),
            inactiveSlot(1L << 30),
            heldBySlot(1_000_000),
            standbyFeedback(1_000_000),
            wraparound(1_000_000_000, 1_600_000_000),
            deadRows(10_000_000, Duration.ofMinutes(15)),
            notificationQueue(0.1, 0.5),
            lockQueue(Duration.ofSeconds(5)),
            connections(0.9),
            clock(InstantSource.system(), Duration.ofSeconds(5)),
            readOnly());

    private ServerChecks() {}

    /** An open transaction keeps vacuum from removing dead rows. A VACUUM holds back nobody, though it has a snapshot. */
    static Check oldTransaction(Duration longerThan) {
        return check(
                        "old-transaction",
                        "No transaction has held back vacuum for long.",
                        // The query is not shown: its text may hold values.
                        sql("""
                        SELECT a.pid, a.usename AS role, a.application_name AS application, a.state, clock_timestamp() - a.xact_start AS open_for,
                               age(coalesce(a.backend_xmin, a.backend_xid)) AS holds_back
                          FROM pg_stat_activity a
                         WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
                           AND coalesce(a.backend_xmin, a.backend_xid) IS NOT NULL
                           AND clock_timestamp() - a.xact_start > ? * interval '1 ms'
                           AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
                         ORDER BY a.xact_start
                         LIMIT 5
                        """, longerThan.toMillis()),
                        oldest ->
                                warn("The transaction of process %s (role %s, %s) has been open for %s, and vacuum cannot remove rows that died since."
                                                .formatted(
                                                        oldest.get("pid"),
                                                        oldest.get("role"),
                                                        oldest.get("state"),
                                                        oldest.get("open_for")))
                                        .remedy(
                                                "End the transaction where it was begun. If nobody can, end its session: its work is rolled back.")
                                        .destructiveSql("SELECT pg_terminate_backend(%s)".formatted(oldest.get("pid"))))
                .thatNeedsStatistics();
    }

    /** A prepared transaction that nobody ends keeps its locks, and vacuum from removing dead rows. */
    static Check preparedTransaction(Duration olderThan) {
        return check(
                "prepared-transaction",
                "No prepared transaction has been left for long.",
                sql("""
                        SELECT gid, quote_literal(gid) AS literal, owner, prepared, age(transaction) AS holds_back
                          FROM pg_prepared_xacts
                         WHERE database = current_database() AND clock_timestamp() - prepared > ? * interval '1 ms'
                         ORDER BY prepared
                         LIMIT 5
                        """, olderThan.toMillis()),
                oldest ->
                        warn("The transaction %s was prepared at %s and has not ended, and vacuum cannot remove rows that died since."
                                        .formatted(oldest.get("literal"), oldest.get("prepared")))
                                .remedy("Ask its transaction manager how it ended there: commit it, or roll it back.")
                                .destructiveSql("ROLLBACK PREPARED " + oldest.get("literal")));
    }

    /** Somebody has paused something and may have forgotten it. */
    static Check oldPause(Duration olderThan) {
        return check(
                "old-pause",
                "Nothing has been paused for long.",
                sql("""
                        SELECT kind, name, paused_at, who, why
                          FROM rowlock.pause
                         WHERE clock_timestamp() - paused_at > ? * interval '1 ms'
                         ORDER BY paused_at
                         LIMIT 5
                        """, olderThan.toMillis()),
                oldest -> warn("%s has been paused since %s by %s."
                                .formatted(
                                        oldest.get("kind").equals("everything")
                                                ? "Everything"
                                                : "The %s '%s'".formatted(oldest.get("kind"), oldest.get("name")),
                                        oldest.get("paused_at"),
                                        oldest.get("who")))
                        .remedy("Resume it by JobAdmin, unless somebody still needs the pause."));
    }

    /** An index of the tables was left half made, or was damaged, so that PostgreSQL does not use it. */
    static Check invalidIndex() {
        return check(
                "invalid-index",
                "No index of the tables was left half made.",
                sql("""
                        SELECT CAST(i.indexrelid AS regclass) AS index, CAST(i.indrelid AS regclass) AS "table"
                          FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
                         WHERE n.nspname = ? AND NOT (i.indisvalid AND i.indisready)
                           -- Of what other roles make, some roles see only that they make something.
                           AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p
                                            WHERE p.index_relid = i.indexrelid OR p.index_relid IS NULL AND p.datname = current_database())
                         ORDER BY 1
                         LIMIT 5
                        """, SCHEMA),
                first -> fail("The index %s of %s is not valid, so PostgreSQL does not use it."
                                .formatted(first.get("index"), first.get("table")))
                        .remedy("Make the index anew.")
                        .sql("REINDEX INDEX CONCURRENTLY " + first.get("index")));
    }

    /** Nobody removes dead rows: autovacuum is off on the whole server, or for tables of ours. */
    static Check autovacuumOff() {
        return check(
                "autovacuum-off",
                "Autovacuum is on.",
                sql("""
                        SELECT 'server' AS place, '' AS name WHERE current_setting('autovacuum') = 'off'
                        UNION ALL
                        SELECT 'table', CAST(CAST(t.oid AS regclass) AS text)
                          FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
                          CROSS JOIN LATERAL pg_options_to_table(t.reloptions) o
                         WHERE n.nspname = ? AND t.relkind = 'r' AND o.option_name = 'autovacuum_enabled' AND NOT CAST(o.option_value AS boolean)
                         LIMIT 5
                        """, SCHEMA),
                first -> first.get("place").equals("server")
                        ? fail("Autovacuum is off on the whole server, so dead rows stay.")
                                .remedy("Turn it on, and reload the configuration.")
                                .sql("ALTER SYSTEM SET autovacuum = on")
                        : fail("Autovacuum is off for table %s, so its dead rows stay.".formatted(first.get("name")))
                                .remedy("Let the table follow the server again.")
                                .sql("ALTER TABLE %s RESET (autovacuum_enabled)".formatted(first.get("name"))));
    }

    /** A replication slot without a reader keeps the write-ahead log until the disk is full. */
    static Check inactiveSlot(long keptBytes) {
        return check(
                "inactive-slot",
                "No replication slot has been left.",
                sql("""
                        SELECT s.slot_name, quote_literal(s.slot_name) AS literal, s.slot_type, pg_wal_lsn_diff(here.lsn, s.restart_lsn) AS kept_bytes, age(s.xmin) AS holds_back
                          FROM pg_replication_slots s
                          CROSS JOIN (SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END AS lsn) here
                         WHERE NOT s.active AND pg_wal_lsn_diff(here.lsn, s.restart_lsn) >= ?
                         ORDER BY 4 DESC
                         LIMIT 5
                        """, keptBytes),
                first -> warn("Nobody reads the replication slot %s, which keeps %s bytes of the write-ahead log."
                                .formatted(first.get("literal"), first.get("kept_bytes")))
                        .remedy("Start its reader again. If there is none any more, drop the slot.")
                        .destructiveSql("SELECT pg_drop_replication_slot(%s)".formatted(first.get("literal"))));
    }

    /** A replication slot keeps vacuum from removing dead rows. */
    static Check heldBySlot(long transactions) {
        return check(
                "held-by-slot",
                "No replication slot holds back vacuum by much.",
                sql("""
                        SELECT s.slot_name, quote_literal(s.slot_name) AS literal, s.slot_type, s.active, coalesce(age(s.xmin) >= ?, false) AS all_tables,
                               greatest(age(s.xmin), age(s.catalog_xmin)) AS holds_back
                          FROM pg_replication_slots s
                         WHERE greatest(age(s.xmin), age(s.catalog_xmin)) >= ?
                         ORDER BY 5 DESC, 6 DESC
                         LIMIT 5
                        """, transactions, transactions),
                first -> {
                    Check.Diagnosis found =
                            warn("The replication slot %s holds back vacuum by %s transactions: dead rows of %s stay."
                                    .formatted(
                                            first.get("literal"),
                                            first.get("holds_back"),
                                            first.is("all_tables") ? "all tables" : "the system catalogs"));
                    return first.is("active")
                            ? found.remedy(
                                    "Find out what its reader waits for: a long query on a standby, or a subscriber that lags.")
                            : found.remedy("Start its reader again. If there is none any more, drop the slot.")
                                    .destructiveSql(
                                            "SELECT pg_drop_replication_slot(%s)".formatted(first.get("literal")));
                });
    }

    /** A query on a standby keeps vacuum of the primary from removing dead rows. A standby with a slot holds it back by that. */
    static Check standbyFeedback(long transactions) {
        return check(
                        "standby-feedback",
                        "No standby holds back vacuum by much.",
                        sql("""
                        SELECT r.pid, r.application_name AS standby, r.client_addr AS address, age(r.backend_xmin) AS holds_back
                          FROM pg_stat_replication r
                         WHERE age(r.backend_xmin) >= ?
                         ORDER BY 4 DESC
                         LIMIT 5
                        """, transactions),
                        first ->
                                warn("The standby '%s' (address %s) holds back vacuum by %s transactions by its hot_standby_feedback."
                                                .formatted(
                                                        first.get("standby"),
                                                        first.get("address"),
                                                        first.get("holds_back")))
                                        .remedy(
                                                "End the long transaction on the standby, or turn hot_standby_feedback off there."))
                .thatNeedsStatistics();
    }

    /** The server stops writing some two billion transactions, or multixacts, after the oldest row that is not frozen. */
    static Check wraparound(long warning, long failure) {
        return check(
                "wraparound",
                "No database is near the end of transaction ids.",
                sql("""
                        SELECT d.datname AS database, age(d.datfrozenxid) AS transactions, mxid_age(d.datminmxid) AS multixacts,
                               greatest(age(d.datfrozenxid), mxid_age(d.datminmxid)) AS age
                          FROM pg_database d
                         WHERE greatest(age(d.datfrozenxid), mxid_age(d.datminmxid)) >= ?
                         ORDER BY 4 DESC
                         LIMIT 5
                        """, warning),
                oldest ->
                        warn("The oldest row of database '%s' is %s transactions old (multixacts: %s); the server stops writing at 2.1 billion."
                                        .formatted(
                                                oldest.get("database"),
                                                oldest.get("transactions"),
                                                oldest.get("multixacts")))
                                .failIf(Long.parseLong(oldest.get("age")) >= failure)
                                .remedy(
                                        "End what holds back vacuum, if another finding names it. Then freeze old rows in that database.")
                                .sql("VACUUM (FREEZE)"));
    }

    /** Dead rows pile up, ten times as many as live ones, and no vacuum has come for this long, nor works on them now. */
    static Check deadRows(long rows, Duration unvacuumed) {
        return check(
                        "dead-rows",
                        "No table has many dead rows that nobody removes.",
                        sql("""
                        SELECT CAST(CAST(t.relid AS regclass) AS text) AS "table", t.n_dead_tup AS dead, t.n_live_tup AS live,
                               greatest(t.last_vacuum, t.last_autovacuum) AS vacuumed
                          FROM pg_stat_all_tables t
                         WHERE t.schemaname = ? AND t.n_dead_tup >= ? AND t.n_dead_tup > 10 * t.n_live_tup
                           AND coalesce(greatest(t.last_vacuum, t.last_autovacuum), '-infinity') < clock_timestamp() - ? * interval '1 ms'
                           -- Other roles do not see which table a vacuum works on.
                           AND pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
                           AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.relid = t.relid)
                         ORDER BY 2 DESC
                         LIMIT 5
                        """, SCHEMA, rows, unvacuumed.toMillis()),
                        first ->
                                warn("Table %s has %s dead rows and %s live ones. Its last vacuum: %s. None works on it now."
                                                .formatted(
                                                        first.get("table"),
                                                        first.get("dead"),
                                                        first.get("live"),
                                                        first.get("vacuumed").equals("null")
                                                                ? "never"
                                                                : first.get("vacuumed")))
                                        .remedy(
                                                "Vacuum the table. If this comes again, give autovacuum more workers (autovacuum_max_workers) or less to wait for (autovacuum_naptime).")
                                        .sql("VACUUM %s".formatted(first.get("table"))))
                .thatNeedsStatistics();
    }

    /**
     * A session that listens and stays in a transaction keeps the notifications of all. Commits that notify fail once the queue is full.
     *
     * @param warning from this part of the queue on
     */
    static Check notificationQueue(double warning, double failure) {
        return check(
                "notification-queue",
                "The queue of notifications has room.",
                sql("""
                        SELECT round(CAST(q.part * 100 AS numeric), 4) AS percent, a.pid, a.usename AS role, a.state, clock_timestamp() - a.xact_start AS open_for
                          FROM (SELECT pg_notification_queue_usage() AS part) q
                          LEFT JOIN LATERAL (SELECT * FROM pg_stat_activity s
                                              WHERE s.xact_start IS NOT NULL AND s.backend_type = 'client backend' AND s.pid <> pg_backend_pid()) a ON true
                         WHERE q.part >= ?
                         ORDER BY a.xact_start
                         LIMIT 5
                        """, warning),
                first ->
                        warn("The queue of notifications is full to %s percent. Once it is full, commits that notify fail."
                                        .formatted(first.get("percent")))
                                .failIf(Double.parseDouble(first.get("percent")) >= failure * 100)
                                .remedy(
                                        "A session that listens is in a transaction, and keeps them. The evidence shows the oldest transactions that this role sees: end the one whose session listens."));
    }

    /** A session waits for a lock on a table of ours, to write or so that writers queue up behind it. */
    static Check lockQueue(Duration longerThan) {
        return check(
                "lock-queue",
                "Nobody waits for long for a strong lock on the tables.",
                sql("""
                        SELECT l.pid, l.mode, CAST(CAST(l.relation AS regclass) AS text) AS "table", clock_timestamp() - l.waitstart AS waits_for,
                               b.pid AS blocked_by, a.usename AS role, a.state, clock_timestamp() - a.xact_start AS open_for
                          FROM pg_locks l
                          JOIN pg_class t ON t.oid = l.relation JOIN pg_namespace n ON n.oid = t.relnamespace
                          JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
                          LEFT JOIN LATERAL unnest(pg_blocking_pids(l.pid)) AS b (pid) ON true
                          LEFT JOIN pg_stat_activity a ON a.pid = b.pid
                         WHERE NOT l.granted AND l.locktype = 'relation' AND n.nspname = ?
                           AND l.mode IN ('RowExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
                           AND clock_timestamp() - l.waitstart > ? * interval '1 ms'
                         ORDER BY l.waitstart, a.xact_start
                         LIMIT 5
                        """, SCHEMA, longerThan.toMillis()),
                first -> {
                    Check.Diagnosis found = fail(
                            "Process %s has waited for %s for a lock (%s) on %s, and whoever comes after it to write waits behind it. %s is in its way."
                                    .formatted(
                                            first.get("pid"),
                                            first.get("waits_for"),
                                            first.get("mode"),
                                            first.get("table"),
                                            inTheWay(first.get("blocked_by"))));
                    return first.get("mode").equals("RowExclusiveLock")
                            ? found.remedy("End the transaction that is in its way: it has locked the table.")
                                    .destructiveSql(null)
                            : found.remedy(
                                            "Cancel the statement that waits, and run it later with a lock_timeout. Or end the transaction that is in its way.")
                                    .destructiveSql("SELECT pg_cancel_backend(%s)".formatted(first.get("pid")));
                });
    }

    // PostgreSQL writes 0 for a prepared transaction.
    private static String inTheWay(String pid) {
        return switch (pid) {
            case "0" -> "A prepared transaction";
            case "null" -> "Nobody any more";
            default -> "Process " + pid;
        };
    }

    /** The server soon refuses connections: this part of those for ordinary roles is taken. */
    static Check connections(double part) {
        return check(
                        "connections",
                        "The server has connections left.",
                        sql("""
                        SELECT used.role, used.application, used.connections, used.total, allowed.total AS allowed
                          FROM (SELECT a.usename AS role, a.application_name AS application, count(*) AS connections, sum(count(*)) OVER () AS total
                                  FROM pg_stat_activity a
                                 WHERE a.backend_type = 'client backend'
                                 GROUP BY 1, 2) used
                          CROSS JOIN (SELECT CAST(current_setting('max_connections') AS int) - CAST(current_setting('superuser_reserved_connections') AS int)
                                             - CAST(coalesce(current_setting('reserved_connections', true), '0') AS int) AS total) allowed
                         WHERE used.total >= ? * allowed.total
                         ORDER BY 3 DESC
                         LIMIT 5
                        """, part),
                        most ->
                                warn("%s of the %s connections for ordinary roles are taken, most of them (%s) by role '%s', application '%s'."
                                                .formatted(
                                                        most.get("total"),
                                                        most.get("allowed"),
                                                        most.get("connections"),
                                                        most.get("role"),
                                                        most.get("application")))
                                        .remedy(
                                                "Make pools smaller, use a pooler, or raise max_connections (needs a restart)."))
                .thatNeedsStatistics();
    }

    /** The clocks of the database and of this process differ. */
    static Check clock(InstantSource clock, Duration tolerance) {
        return check(
                "clock",
                "The clock of the database is that of this process.",
                new ClockDifference(clock, tolerance),
                first -> {
                    long ahead = Long.parseLong(first.get("millis_ahead"));
                    return info("The clock of the database is %d ms %s that of this process, and jobs are due by the clock of the database."
                                    .formatted(Math.abs(ahead), ahead > 0 ? "ahead of" : "behind"))
                            .remedy("Let a time service (NTP) set the clocks of both machines.");
                });
    }

    /** Nothing can be written: the server is a standby, or transactions are read-only unless they say otherwise. */
    static Check readOnly() {
        return check(
                "read-only",
                "The database takes writes.",
                sql("""
                        SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') AS read_only
                         WHERE pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'
                        """),
                first -> fail(first.is("standby")
                                ? "This server is a standby, so nothing can be written."
                                : "Transactions are read-only by default, so nothing can be written.")
                        .remedy(
                                "Lead the application to the primary (targetServerType=primary), or turn default_transaction_read_only off."));
    }

    /**
     * The connection that listens for notifications goes through a pooler that gives its process of the server to others.
     *
     * @param unpooled where the connections of lease and notifications come from
     */
    static Check pooler(DataSource unpooled) {
        return check(
                "pooler",
                "No pooler stands between notifications and this process.",
                new SharedBackend(unpooled),
                first ->
                        fail("A pooler in transaction mode stands between this process and the database: who listens through it is told nothing, so new jobs wait for the next poll.")
                                .remedy(
                                        "Set rowlock.worker.direct-url to the database's own address, or rowlock.notify.enabled=false to do without notifications."));
    }
}
