package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;

/** Nodes that are gone, or silent for twice their lease, whose jobs nobody has taken back for longer than this. */
public record AbandonedJobs(Duration longerThan) implements Look {

    @Override
    public String sql() {
        return """
                SELECT r.node_id, coalesce(n.name, p.name, '') AS node, count(*) AS jobs, min(r.claimed_at) AS oldest_claim, n.id IS NULL AS gone,
                       EXISTS (SELECT FROM rowlock.node other
                                WHERE other.heartbeat_at > clock_timestamp() - 2 * other.lease_millis * interval '1 ms') AS others_live
                  FROM rowlock.running r
                  LEFT JOIN rowlock.node n ON n.id = r.node_id
                  LEFT JOIN rowlock.past_node p ON p.id = r.node_id
                 WHERE n.id IS NULL AND coalesce(p.ended_at, r.claimed_at) < clock_timestamp() - ? * interval '1 ms'
                    OR n.heartbeat_at < clock_timestamp() - (2 * n.lease_millis + ?) * interval '1 ms'
                 GROUP BY r.node_id, n.id, coalesce(n.name, p.name, '')
                 ORDER BY jobs DESC
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(longerThan.toMillis(), longerThan.toMillis());
    }
}
