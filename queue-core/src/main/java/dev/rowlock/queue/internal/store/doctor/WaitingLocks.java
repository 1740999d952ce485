package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.time.Duration;
import java.util.List;

/** Who has waited for this long for a lock on a table of ours, to write or so that writers queue up behind, and who is in the way. */
public record WaitingLocks(Duration longerThan) implements Look {

    @Override
    public String sql() {
        return """
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
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(schema.name(), longerThan.toMillis());
    }
}
