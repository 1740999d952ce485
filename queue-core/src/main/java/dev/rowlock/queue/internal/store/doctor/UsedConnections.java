package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.util.List;

/** Who has how many of the connections of the server, if at least this part of those for ordinary roles is taken. */
public record UsedConnections(double part) implements Look {

    @Override
    public String sql() {
        return """
                SELECT used.role, used.application, used.connections, used.total, allowed.total AS allowed
                  FROM (SELECT a.usename AS role, a.application_name AS application, count(*) AS connections, sum(count(*)) OVER () AS total
                          FROM pg_stat_activity a
                         WHERE a.backend_type = 'client backend'
                         GROUP BY 1, 2) used
                  CROSS JOIN (SELECT CAST(current_setting('max_connections') AS int) - CAST(current_setting('superuser_reserved_connections') AS int)
                                     - CAST(coalesce(current_setting('reserved_connections', true), '0') AS int) AS total) allowed
                 WHERE used.total >= ? * allowed.total
                 ORDER BY 3 DESC
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(part);
    }
}
