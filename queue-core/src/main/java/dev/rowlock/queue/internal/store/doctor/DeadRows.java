package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.time.Duration;
import java.util.List;

/** Tables with at least this many dead rows, ten times as many as live ones, that nobody has vacuumed for this long, nor does now. */
public record DeadRows(long rows, Duration unvacuumed) implements Look {

    @Override
    public String sql() {
        return """
                SELECT CAST(CAST(t.relid AS regclass) AS text) AS "table", t.n_dead_tup AS dead, t.n_live_tup AS live,
                       greatest(t.last_vacuum, t.last_autovacuum) AS vacuumed
                  FROM pg_stat_all_tables t
                 WHERE t.schemaname = ? AND t.n_dead_tup >= ? AND t.n_dead_tup > 10 * t.n_live_tup
                   AND coalesce(greatest(t.last_vacuum, t.last_autovacuum), '-infinity') < clock_timestamp() - ? * interval '1 ms'
                   -- Other roles do not see which table a vacuum works on.
                   AND pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
                   AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.relid = t.relid)
                 ORDER BY 2 DESC
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(schema.name(), rows, unvacuumed.toMillis());
    }
}
