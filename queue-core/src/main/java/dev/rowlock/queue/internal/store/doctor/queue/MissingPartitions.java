package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.doctor.Look;

/**
 * Days from today on, in UTC, for which done has no partition, though a node has lived long enough to make it, or a table that is none
 * has its name.
 */
public record MissingPartitions() implements Look {

    @Override
    public String sql() {
        return """
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
                 ORDER BY d.day
                """;
    }
}
