package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.util.List;

/** Queues whose policy is asked and gives no good answer, so that their jobs run without it; those without one for longest. */
public record SilentPolicies() implements Look {

    @Override
    public String sql() {
        return """
                SELECT l.queue, l.policy_until AS since, coalesce(n.name, 'none') AS node, l.of_keys AS keys_limited
                  FROM rowlock.queue_limit l
                  LEFT JOIN rowlock.node n ON n.id = l.policy_by
                 WHERE l.policy_asked_at > clock_timestamp() - interval '1 min'
                   AND (l.of_keys OR l.policy_until < clock_timestamp())
                 ORDER BY l.policy_until
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of();
    }
}
