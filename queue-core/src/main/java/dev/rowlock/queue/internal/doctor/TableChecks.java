package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.fail;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.info;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.warn;
import static dev.rowlock.queue.internal.doctor.Check.check;

import dev.rowlock.queue.schema.SchemaObjects;
import dev.rowlock.queue.schema.SchemaScript;
import java.util.List;
import java.util.Map;

/** Are the tables those of this release, and whole? Do the days of {@code done} come and go? */
final class TableChecks {

    private static final int NEWEST = SchemaScript.newestVersion();

    /** {@code present}: one line for each object of the schema. Without quotes: the server writes all that it can where quote_all_identifiers is on. */
    static final String PRESENT = """
            WITH present AS (
                SELECT 'column ' || c.relname || '.' || a.attname || ' ' || replace(format_type(a.atttypid, a.atttypmod), '"', '')
                       || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END AS object
                  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = :schema AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
                   AND c.relname <> 'schema_history'
                UNION ALL
                SELECT 'index ' || i.relname || ' of ' || t.relname || replace(substring(replace(pg_get_indexdef(i.oid), quote_ident(n.nspname) || '.', '') FROM ' USING .*'), '"', '')
                  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid JOIN pg_namespace n ON n.oid = i.relnamespace
                 WHERE n.nspname = :schema AND NOT i.relispartition AND t.relname <> 'schema_history'
                UNION ALL
                SELECT CASE c.relkind WHEN 'S' THEN 'sequence ' ELSE 'unlogged table ' END || c.relname
                  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = :schema AND (c.relkind = 'S' OR c.relkind = 'r' AND c.relpersistence = 'u')
                UNION ALL
                SELECT 'function ' || p.proname || '(' || replace(pg_get_function_identity_arguments(p.oid), '"', '') || ')'
                  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = :schema
                UNION ALL
                SELECT 'check ' || k.conname || ' of ' || c.relname
                  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = :schema AND k.contype = 'c' AND NOT c.relispartition AND c.relname <> 'schema_history'
            )
            """;

    static final List<Check> ALL = List.of(

            // The tables are of another release: they lack scripts, or have some that this release does not know.
            check("schema-version", "The tables are of this release.")
                    .sql("""
                    SELECT what, string_agg(version::text, ', ' ORDER BY version) AS versions, max(version) AS newest_there
                      FROM (SELECT 'missing' COLLATE "C" AS what, v AS version
                              FROM generate_series(1, :newest) AS v
                             WHERE NOT EXISTS (SELECT FROM rowlock.schema_history h WHERE h.success AND h.version = v::text)
                            UNION ALL
                            SELECT 'newer', h.version::int FROM rowlock.schema_history h
                             WHERE h.success AND CASE WHEN h.version COLLATE "C" ~ '^[0-9]{1,9}$' THEN h.version::int > :newest END) AS script
                     GROUP BY what ORDER BY what""", Map.of("newest", NEWEST))
                    .finds(first -> first.is("what", "missing")
                            ? fail(
                                    "The tables lack scripts that this release needs: version {versions}.",
                                    "Start a node with rowlock.schema.mode=migrate, or let the owner of the tables run what SchemaScript prints (--from).")
                            : info(
                                    "The tables are of version {newest_there}, and this release knows version {newest}: a newer release has upgraded them.",
                                    "This is normal during a deployment. Afterwards, upgrade this application.")),

            // Columns, indexes, checks, views, sequences or functions that the scripts make are not there, or are not
            // as they make them. Says nothing of what there is beside them, nor of tables of another release.
            check("altered-tables", "Tables, indexes and functions are as the scripts make them.")
                    .sql(
                            PRESENT + """
                    SELECT e.object AS missing, count(*) OVER () - 1 AS others FROM unnest(:expected::text[]) AS e (object)
                     WHERE e.object NOT IN (SELECT object FROM present)
                       AND (SELECT max(h.version::int) FROM rowlock.schema_history h
                             WHERE h.success AND h.version COLLATE "C" ~ '^[0-9]{1,9}$') = :newest
                     ORDER BY e.object COLLATE "C" LIMIT 20""",
                            Map.of(
                                    "newest",
                                    NEWEST,
                                    "expected",
                                    SchemaObjects.all().toArray(String[]::new)))
                    .finds(first -> fail(
                            "The scripts make this, and it is missing or was changed by hand: {missing}"
                                    + (first.is("others", "0") ? "." : ", and {others} more."),
                            "Make it as the script says that SchemaScript prints.")),

            // An index of the tables was left half made, or was damaged, so that PostgreSQL does not use it.
            check("invalid-index", "No index of the tables was left half made.")
                    .sql("""
                    SELECT CAST(i.indexrelid AS regclass) AS index, CAST(i.indrelid AS regclass) AS "table"
                      FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
                     WHERE n.nspname = :schema AND NOT (i.indisvalid AND i.indisready)
                       -- Of what other roles make, some roles see only that they make something.
                       AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p
                                        WHERE p.index_relid = i.indexrelid OR p.index_relid IS NULL AND p.datname = current_database())
                     ORDER BY 1 LIMIT 5""")
                    .finds(fail(
                            "The index {index} of {table} is not valid, so PostgreSQL does not use it.",
                            "Make the index anew.",
                            "REINDEX INDEX CONCURRENTLY {index}")),

            // The next ids would name two jobs, and the next tokens would not fence, if nobody saw to it: who connects
            // does, where it was noted.
            check("sequence-behind", "Sequences stand above all numbers that they have given out.")
                    .sql("""
                    SELECT s.sequence, s.stands_at, greatest(s.in_tables, f.value::bigint) AS given_out, 'SELECT rowlock.skip_lost_numbers()' AS moved_on_by
                      FROM (SELECT 'job_id' COLLATE "C", (SELECT last_value FROM rowlock.job_id),
                                   greatest((SELECT max(id) FROM rowlock.waiting), (SELECT max(id) FROM rowlock.ready),
                                            (SELECT max(id) FROM rowlock.running), (SELECT max(id) FROM rowlock.dead))
                            UNION ALL
                            SELECT 'claim_token', (SELECT last_value FROM rowlock.claim_token), (SELECT max(token) FROM rowlock.running)
                            UNION ALL
                            SELECT 'node_id', (SELECT last_value FROM rowlock.node_id), (SELECT max(id) FROM rowlock.node)) AS s (sequence, stands_at, in_tables)
                      LEFT JOIN rowlock.figure f ON f.name = 'sequence' AND f.detail = s.sequence
                     WHERE greatest(s.in_tables, f.value::bigint) > s.stands_at""")
                    .finds(fail(
                            "Sequence {sequence} stands at {stands_at} and has given out {given_out}: its next numbers have been used. A logical replication leaves out sequences, and so may a restore.",
                            "Let all sequences move on.",
                            "{moved_on_by}")),

            // Jobs that end on some day, in UTC, have no place, though a node has lived long enough to make it, or a
            // table that is no partition has its name.
            check("missing-partition", "Table done has its partitions for today and the days to come.")
                    .sql("""
                    SELECT d.day, d.partition, to_regclass(d.partition) IS NOT NULL AS name_is_taken, d.day = d.today AS today,
                           'SELECT rowlock.ensure_done_partitions(7)' AS made_by
                      FROM (SELECT t.today, t.today + n AS day, format('rowlock.done_%s', to_char(t.today + n, 'YYYYMMDD')) AS partition
                              FROM (SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS today) AS t
                             CROSS JOIN generate_series(0, 3) AS n) AS d
                     WHERE NOT EXISTS (SELECT FROM pg_inherits i
                                        WHERE i.inhparent = 'rowlock.done'::regclass AND NOT i.inhdetachpending AND i.inhrelid = to_regclass(d.partition))
                       AND NOT EXISTS (SELECT FROM rowlock.done_partition p
                                        WHERE p.from_at <= d.day::timestamp AT TIME ZONE 'UTC' AND p.until_at > d.day::timestamp AT TIME ZONE 'UTC')
                       AND (to_regclass(d.partition) IS NOT NULL
                            OR EXISTS (SELECT FROM rowlock.node n
                                        WHERE n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms'
                                          AND n.started_at < clock_timestamp() - interval '1 minute'))
                     ORDER BY d.day""")
                    .finds(first -> (first.is("name_is_taken")
                                    ? warn(
                                            "{partition} is not a partition of done, so jobs that end on {day} cannot be written down.",
                                            "Rename the table, then make the partition.",
                                            "{made_by}")
                                    : warn(
                                            "Table done has no partition for {day}, and no node has made it.",
                                            "Make it, and read in the logs of the nodes why their chore 'partitions of done' fails.",
                                            "{made_by}"))
                            .failIf(first.is("today"))),

            // Ended jobs stay, by this margin, longer than all nodes want, though one has lived for an hour.
            check("retention-stuck", "No ended job is much older than its retention.")
                    .sql("""
                    WITH wish AS (
                        SELECT greatest(max(done_millis), 86400000) AS done_millis, max(dead_millis) AS dead_millis
                          FROM rowlock.retention
                         WHERE stated_at > clock_timestamp() - interval '2 days'
                           AND EXISTS (SELECT FROM rowlock.node n
                                        WHERE n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms'
                                          AND n.started_at < clock_timestamp() - interval '1 hour')
                        HAVING count(*) > 0 -- otherwise nobody wishes anything
                    ), kept AS (
                        SELECT 'done' AS room, c.relname::text AS partition, b.until_at AS ended_at
                          FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                         CROSS JOIN LATERAL rowlock.done_bounds(c.oid) AS b
                         WHERE i.inhparent = 'rowlock.done'::regclass AND c.relname ~ '^done_[0-9]{8}$'
                    )
                    -- A wish for more than a thousand years means for ever: intervals end somewhere.
                    SELECT k.room, k.partition, k.ended_at FROM kept k, wish w
                     WHERE w.done_millis < 31556952000000
                       AND k.ended_at < clock_timestamp() - least(w.done_millis, 31556952000000) * interval '1 ms' - :margin_hours * interval '1 hour'
                    UNION ALL
                    SELECT 'dead', NULL, d.died_at FROM wish w, (SELECT died_at FROM rowlock.dead ORDER BY died_at LIMIT 1) AS d
                     WHERE w.dead_millis < 31556952000000
                       AND d.died_at < clock_timestamp() - least(w.dead_millis, 31556952000000) * interval '1 ms' - :margin_hours * interval '1 hour'
                     ORDER BY ended_at LIMIT 5""", Map.of("margin_hours", 24))
                    .finds(
                            oldest -> warn(
                                    oldest.is("room", "done")
                                            ? "Partition {partition} is older than all nodes want, and is still there."
                                            : "Dead jobs are older than all nodes want, and are still there; the oldest died at {ended_at}.",
                                    "The logs of the nodes say what is in the way of the chore 'retention': often a view, a foreign key or a long transaction, or clocks that differ by a day.")),

            // Lists, counts and views of ended jobs lock each partition. Beyond so many, or a tenth of the server's
            // locks, statements fail that have nothing to do with them.
            check("many-partitions", "Table done has no more partitions than the server has locks for.")
                    .sql("""
                    SELECT p.partitions, p.partitions * 3 AS locks, s.locks AS locks_of_server
                      FROM (SELECT count(*) AS partitions FROM pg_inherits WHERE inhparent = 'rowlock.done'::regclass) AS p
                     CROSS JOIN (SELECT current_setting('max_locks_per_transaction')::bigint
                                        * (current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint) AS locks) AS s
                     WHERE p.partitions > :most OR p.partitions * 3 > s.locks / 10""", Map.of("most", 200))
                    .finds(
                            warn(
                                    "Table done has {partitions} partitions. Each list or view of ended jobs locks all of them with their indexes, about {locks} of the {locks_of_server} locks that the server has room for.",
                                    "Drop or detach partitions that nobody needs, or raise max_locks_per_transaction (needs a restart). Rowlock itself keeps about a hundred: read why retention fails if it should have dropped the others.")));

    private TableChecks() {}
}
