package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;

/** Queues with jobs that have been ready for longer than this, and that no living node serves. Jobs that are paused do not count. */
public record UnservedQueues(Duration longerThan) implements Look {

    private static final String WAITING = """
            EXISTS (SELECT FROM rowlock.ready r
                     WHERE r.queue = q.queue AND r.job_key IS %sNULL AND r.ready_at < clock_timestamp() - ? * interval '1 ms'
                       AND NOT EXISTS (SELECT FROM rowlock.pause p WHERE p.kind = 'type' AND p.name = r.type))""";

    @Override
    public String sql() {
        return """
                WITH RECURSIVE\s""" + ReadyQueues.CTE + """
                SELECT q.queue FROM queues q
                 WHERE q.queue IS NOT NULL
                   AND NOT EXISTS (SELECT FROM rowlock.node n WHERE q.queue = ANY (n.queues)
                                      AND n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms')
                   AND NOT EXISTS (SELECT FROM rowlock.pause p WHERE p.kind = 'everything' OR p.kind = 'queue' AND p.name = q.queue)
                   AND (%s OR %s)
                 LIMIT 5
                """.formatted(WAITING.formatted(""), WAITING.formatted("NOT "));
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(longerThan.toMillis(), longerThan.toMillis());
    }
}
