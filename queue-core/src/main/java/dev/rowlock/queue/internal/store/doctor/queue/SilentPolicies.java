package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.util.List;

/** Queues whose policy gives no good answer, or is not asked any more while jobs wait for it; those without an answer for longest. */
public record SilentPolicies() implements Look {

    @Override
    public String sql() {
        return """
                SELECT p.queue, p.decides_until AS since, coalesce(n.name, 'none') AS node,
                       p.asked_at > clock_timestamp() - interval '1 min' AS asked, l.in_order IS NOT NULL AS in_order
                  FROM rowlock.policy p
                  LEFT JOIN rowlock.queue_limit l ON l.queue = p.queue
                  LEFT JOIN rowlock.node n ON n.id = p.node_id
                 WHERE (p.decides_until < clock_timestamp() OR l.in_order IS NOT NULL)
                   AND (p.asked_at > clock_timestamp() - interval '1 min'
                        OR EXISTS (SELECT FROM rowlock.held_job h WHERE h.queue = p.queue))
                 ORDER BY p.decides_until
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of();
    }
}
