package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.time.Duration;
import java.util.List;

/** Transactions of this database that hold back vacuum for longer than this. */
public record OldTransactions(Duration longerThan) implements Look {

    // A VACUUM holds back nobody, though it has a snapshot. Its text may hold values, so the query is not shown.
    @Override
    public String sql() {
        return """
                SELECT a.pid, a.usename AS role, a.application_name AS application, a.state, clock_timestamp() - a.xact_start AS open_for,
                       age(coalesce(a.backend_xmin, a.backend_xid)) AS holds_back
                  FROM pg_stat_activity a
                 WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
                   AND coalesce(a.backend_xmin, a.backend_xid) IS NOT NULL
                   AND clock_timestamp() - a.xact_start > ? * interval '1 ms'
                   AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
                 ORDER BY a.xact_start
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(longerThan.toMillis());
    }
}
