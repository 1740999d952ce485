-- The partitions of done, and how to find a job in them.
-- A plan that reads all of them locks each with its indexes, and takes milliseconds to make. So there are never many more than a hundred,
-- and who looks for ids reads only those that may have them: the cost of that does not grow with the days that are kept.

-- In which partition of done each job lies that ended on a day that is over: a bit for each id, 64 in a row. No outcome writes to it, unless
-- the clock was set back: then each adds a row of its own, so that none waits for another.
CREATE TABLE ${schema}.done_place (
    block bigint NOT NULL, -- of 64 ids
    day   date   NOT NULL, -- the first one of the partition, which bears its name
    bits  bigint NOT NULL, -- the lowest is the first id of the block
    PRIMARY KEY (block, day, bits)
);
CREATE INDEX done_place_by_day ON ${schema}.done_place (day);

-- Where a partition begins and ends. Nothing for what is none, and for one without bounds.
CREATE FUNCTION ${schema}.done_bounds(partition regclass, OUT from_at timestamptz, OUT until_at timestamptz) RETURNS SETOF record
    LANGUAGE sql STABLE ROWS 1 SET datestyle = 'ISO' AS $$
    SELECT b[1]::timestamptz, b[2]::timestamptz
      FROM pg_class c CROSS JOIN regexp_match(pg_get_expr(c.relpartbound, c.oid) COLLATE "C", '^FOR VALUES FROM [(]''(.*)''[)] TO [(]''(.*)''[)]$') AS b
     WHERE c.oid = partition AND b IS NOT NULL
$$;

-- A job came to a day that is over: the clock was set back, or somebody put it there.
CREATE FUNCTION ${schema}.note_done_place() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO ${schema}.done_place (block, day, bits)
    VALUES (new.id >> 6, to_date(right(tg_table_name, 8), 'YYYYMMDD'), 1::bigint << (new.id & 63)::int)
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

-- The partitions of done. One is indexed once done_place has its jobs; its trigger says so, which goes wherever the table goes.
CREATE VIEW ${schema}.done_partition AS
    SELECT c.relname AS partition, b.from_at, b.until_at, c.relname ~ '^done_[0-9]{8}$' AS is_ours,
           EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = i.inhrelid AND t.tgname = 'note_done_place') AS indexed
      FROM pg_inherits i
      JOIN pg_class c ON c.oid = i.inhrelid
     CROSS JOIN LATERAL ${schema}.done_bounds(c.oid) AS b
     WHERE i.inhparent = '${schema}.done'::regclass AND NOT i.inhdetachpending;

-- The stretches of time in done that may have these jobs, each with those that it may have, by the caller's snapshot: the partitions that are
-- not indexed, where there is something in them, and of the others those that have one of the jobs. The newest comes first.
CREATE FUNCTION ${schema}.done_stretches(ids bigint[]) RETURNS TABLE (from_at timestamptz, until_at timestamptz, wanted bigint[])
    LANGUAGE plpgsql STABLE ROWS 2
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH open AS MATERIALIZED (
            SELECT i.inhrelid AS partition FROM pg_inherits i
             WHERE i.inhparent = '${schema}.done'::regclass AND NOT i.inhdetachpending
               AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = i.inhrelid AND t.tgname = 'note_done_place')
        ), named AS (
            SELECT p.day, array_agg(a.id) AS wanted
              FROM unnest(ids) AS a (id)
             CROSS JOIN LATERAL (
                   SELECT l.day, l.bits FROM ${schema}.done_place l WHERE l.block = a.id >> 6 ORDER BY l.block, l.day, l.bits OFFSET 0) AS p
             WHERE p.bits & (1::bigint << (a.id & 63)::int) <> 0
             GROUP BY p.day
        ), indexed AS (
            SELECT to_regclass('${schema}.done_' || to_char(n.day, 'YYYYMMDD')) AS partition, n.wanted FROM named n
        ), candidate AS MATERIALIZED (
            SELECT o.partition, ids AS wanted FROM open o WHERE pg_relation_size(o.partition) > 0
            UNION ALL
            SELECT x.partition, x.wanted FROM indexed x WHERE x.partition NOT IN (SELECT o.partition FROM open o)
        )
        SELECT b.from_at, b.until_at, c.wanted FROM candidate c CROSS JOIN LATERAL ${schema}.done_bounds(c.partition) AS b ORDER BY b.from_at DESC;
END
$$;

-- Those of these jobs that lie in done, by the caller's snapshot. Bounds are written out: what a plan finds out as it runs, it locks all partitions for.
CREATE FUNCTION ${schema}.done_jobs(ids bigint[]) RETURNS SETOF ${schema}.done
    LANGUAGE plpgsql STABLE ROWS 10 SET datestyle = 'ISO' SET enable_seqscan = off AS $$
DECLARE
    stretch record;
    found_here bigint;
    found_all bigint := 0;
BEGIN
    IF cardinality(ids) = 0 THEN
        RETURN;
    END IF;
    FOR stretch IN SELECT * FROM ${schema}.done_stretches(ids) LOOP
        RETURN QUERY EXECUTE format('SELECT * FROM ${schema}.done WHERE id = ANY ($1) AND finished_at >= %L AND finished_at < %L',
            stretch.from_at, stretch.until_at) USING stretch.wanted;
        GET DIAGNOSTICS found_here = ROW_COUNT;
        found_all := found_all + found_here;
        EXIT WHEN found_all >= cardinality(ids); -- each is there once
    END LOOP;
END
$$;

-- Takes those of these jobs out of done that were cancelled before they ran.
CREATE FUNCTION ${schema}.take_skipped_jobs(ids bigint[]) RETURNS SETOF ${schema}.done
    LANGUAGE plpgsql VOLATILE ROWS 10 SET datestyle = 'ISO' SET enable_seqscan = off AS $$
DECLARE
    stretch record;
BEGIN
    IF cardinality(ids) = 0 THEN
        RETURN;
    END IF;
    FOR stretch IN SELECT * FROM ${schema}.done_stretches(ids) LOOP
        RETURN QUERY EXECUTE format('DELETE FROM ${schema}.done WHERE id = ANY ($1) AND finished_at >= %L AND finished_at < %L'
            || ' AND state = ''cancelled'' AND claimed_at IS NULL RETURNING *', stretch.from_at, stretch.until_at) USING stretch.wanted;
    END LOOP;
END
$$;

-- The days for which done has a partition.
CREATE FUNCTION ${schema}.days_of_done() RETURNS datemultirange
    LANGUAGE sql VOLATILE SET timezone = 'UTC' AS $$
    SELECT coalesce(range_agg(daterange(from_at::date, until_at::date)), '{}') FROM ${schema}.done_partition
$$;

-- Makes sure that done has a partition for today and the given number of days to come. Each is made aside and then
-- attached, which holds up nobody; several nodes may do it at once. A table that has the name already, detached by somebody,
-- or restored, is attached; where that cannot be, a warning says why, and the other days have theirs.
-- A partition has one day. Where jobs are kept for more than a hundred, it has a hundredth of that time, by the day, and an index by time:
-- so there are never many more than a hundred, and who looks for the jobs of an hour need not read days of them.
-- Nodes may do this without owning the table: it runs with its owner's rights, and finds only names that are written out.
CREATE FUNCTION ${schema}.ensure_done_partitions(days_ahead int) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
DECLARE
    today CONSTANT date := statement_timestamp()::date;
    days CONSTANT int := (SELECT least(365, greatest(1, ceil(max(done_millis) / (100 * 86400000.0))))
                            FROM ${schema}.retention WHERE stated_at > statement_timestamp() - interval '2 days');
    covered datemultirange := ${schema}.days_of_done();
    this_day date;
    end_day date;
    partition text;
    there boolean;
BEGIN
    FOR this_day IN SELECT today + n FROM generate_series(0, days_ahead) AS n LOOP
        CONTINUE WHEN covered @> this_day;
        partition := 'done_' || to_char(this_day, 'YYYYMMDD');
        there := to_regclass(format('${schema}.%I', partition)) IS NOT NULL;
        end_day := least(this_day + days, (SELECT min(lower(later)) FROM unnest(covered) AS later WHERE lower(later) > this_day));
        BEGIN
            IF NOT there THEN
                EXECUTE format('CREATE TABLE ${schema}.%I (LIKE ${schema}.done INCLUDING DEFAULTS INCLUDING CONSTRAINTS'
                || ' INCLUDING COMPRESSION) WITH (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 2000000)', partition);
                IF end_day > this_day + 1 THEN
                    EXECUTE format('CREATE INDEX %I ON ${schema}.%I USING brin (finished_at) WITH (autosummarize = on)', partition || '_by_time', partition);
                END IF;
            END IF;
            EXECUTE format('ALTER TABLE ${schema}.done ATTACH PARTITION ${schema}.%I FOR VALUES FROM (%L) TO (%L)',
                partition, this_day::timestamptz, end_day::timestamptz);
            covered := covered + datemultirange(daterange(this_day, end_day));
        EXCEPTION WHEN OTHERS THEN
            covered := ${schema}.days_of_done();
            IF covered @> this_day OR NOT there AND SQLSTATE IN ('42P07', '23505') THEN
                NULL; -- another node made it at the same moment
            ELSIF there THEN
                RAISE WARNING '${schema}.% is not a partition of ${schema}.done and cannot become one, so jobs that end on % cannot be written down: %; rename it or drop it',
                    partition, this_day, SQLERRM;
            ELSE
                RAISE;
            END IF;
        END;
    END LOOP;
END
$$;

-- Drops one partition of done, and nothing else: nodes may do this without owning the table.
CREATE FUNCTION ${schema}.drop_done_partition(partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF partition COLLATE "C" !~ '^done_[0-9]{8}$' THEN
        RAISE EXCEPTION '% is not the name of a partition of ${schema}.done', partition;
    END IF;
    IF to_regclass(format('${schema}.%I', partition)) IS NOT NULL AND NOT EXISTS (
            SELECT FROM pg_inherits WHERE inhparent = '${schema}.done'::regclass AND inhrelid = to_regclass(format('${schema}.%I', partition))) THEN
        RAISE EXCEPTION '${schema}.% is not a partition of ${schema}.done', partition;
    END IF;
    DELETE FROM ${schema}.done_place WHERE day = to_date(right(partition, 8), 'YYYYMMDD');
    EXECUTE format('DROP TABLE ${schema}.%I', partition);
END
$$;

-- Makes the indexes of a partition whose time is over: done_place has its jobs from now on, and it has an index by queue. No outcome pays for
-- them, because nothing is written to such a partition any more. Queues with a tenth of its jobs or more are left out of the second one: of
-- these the primary key finds a page soon, and they would be most of the index.
-- Nodes may do this without owning the table: it runs with its owner's rights, and finds only names that are written out.
CREATE FUNCTION ${schema}.index_done_partition(partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET max_parallel_maintenance_workers = 0 SET max_parallel_workers_per_gather = 0 AS $$
#variable_conflict use_variable
DECLARE
    over boolean := (SELECT p.until_at <= statement_timestamp() FROM ${schema}.done_partition p WHERE p.is_ours AND p.partition = partition);
    large text[];
BEGIN
    IF over IS NULL THEN
        RAISE EXCEPTION '% is not a partition of ${schema}.done', quote_nullable(partition);
    ELSIF NOT over THEN
        RAISE EXCEPTION '${schema}.% gets no indexes before its time is over: each outcome would have to write to them', partition;
    END IF;
    -- It locks the partition against whoever writes, so the statements behind it see all that is there.
    EXECUTE format('CREATE OR REPLACE TRIGGER note_done_place AFTER INSERT ON ${schema}.%I FOR EACH ROW EXECUTE FUNCTION ${schema}.note_done_place()', partition);
    EXECUTE format('INSERT INTO ${schema}.done_place (block, day, bits) SELECT id >> 6, %L, bit_or(1::bigint << (id & 63)::int) FROM ${schema}.%I GROUP BY 1 ORDER BY 1'
        || ' ON CONFLICT DO NOTHING', to_date(right(partition, 8), 'YYYYMMDD'), partition);
    EXECUTE format('SELECT array_agg(queue) FROM (SELECT queue, count(*) AS jobs, sum(count(*)) OVER () AS total FROM ${schema}.%I GROUP BY queue) AS queues'
        || ' WHERE jobs * 10 >= total', partition) INTO large;
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON ${schema}.%I (queue, id) WHERE queue <> ALL (%L::text[])',
        partition || '_by_queue', partition, coalesce(large, '{}'));
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.done_bounds(regclass), ${schema}.days_of_done(), ${schema}.note_done_place(), ${schema}.done_stretches(bigint[]), ${schema}.done_jobs(bigint[]),
    ${schema}.take_skipped_jobs(bigint[]), ${schema}.ensure_done_partitions(int), ${schema}.drop_done_partition(text), ${schema}.index_done_partition(text) FROM PUBLIC;

SELECT ${schema}.ensure_done_partitions(7);
