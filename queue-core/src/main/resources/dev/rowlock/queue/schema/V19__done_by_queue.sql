-- Done jobs of one queue, in days that are over: by an index that no outcome pays for, because nothing is written to these days any more.

SET LOCAL lock_timeout = '50ms';

-- Queues with a tenth of a day's jobs or more are left out: of these the primary key finds a page soon, and they would be most of the index.
-- Nodes may do this without owning the table: it runs with its owner's rights, and finds only names that are written out.
CREATE FUNCTION ${schema}.index_done_partition(partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET max_parallel_maintenance_workers = 0 SET max_parallel_workers_per_gather = 0 AS $$
DECLARE
    large text[];
BEGIN
    IF partition !~ '^done_[0-9]{8}$' OR NOT ${schema}.is_done_partition(partition) THEN
        RAISE EXCEPTION '% is not a partition of ${schema}.done', quote_nullable(partition);
    ELSIF to_date(right(partition, 8), 'YYYYMMDD') >= (statement_timestamp() AT TIME ZONE 'UTC')::date THEN
        RAISE EXCEPTION '${schema}.% gets no index before its day is over: each outcome would have to write to it', partition;
    END IF;
    EXECUTE format('SELECT array_agg(queue) FROM (SELECT queue, count(*) AS jobs, sum(count(*)) OVER () AS total FROM ${schema}.%I GROUP BY queue) AS queues'
        || ' WHERE jobs * 10 >= total', partition) INTO large;
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON ${schema}.%I (queue, id) WHERE queue <> ALL (%L::text[])',
        partition || '_by_queue', partition, coalesce(large, '{}'));
END
$$;

REVOKE EXECUTE ON FUNCTION ${schema}.index_done_partition(text) FROM PUBLIC;

COMMENT ON FUNCTION ${schema}.index_done_partition(text) IS 'Makes the index by queue of a day of done that is over.';
