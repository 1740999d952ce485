package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;

/**
 * Partitions of done, and the oldest dead job, that are older by this margin than all nodes want, though one has lived for an hour.
 */
public record KeptTooLong(Duration margin) implements Look {

    @Override
    public String sql() {
        return """
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
                SELECT k.room, k.partition, k.ended_at
                  FROM kept k, wish w
                 WHERE w.done_millis < 31556952000000
                   AND k.ended_at < clock_timestamp() - (least(w.done_millis, 31556952000000) + ?) * interval '1 ms'
                UNION ALL
                SELECT 'dead', NULL, d.died_at
                  FROM wish w, (SELECT died_at FROM rowlock.dead ORDER BY died_at LIMIT 1) AS d
                 WHERE w.dead_millis < 31556952000000
                   AND d.died_at < clock_timestamp() - (least(w.dead_millis, 31556952000000) + ?) * interval '1 ms'
                 ORDER BY ended_at
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(margin.toMillis(), margin.toMillis());
    }
}
