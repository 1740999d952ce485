package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.util.List;

/** Standbys that hold back vacuum, by their feedback, by at least this many transactions. A standby with a slot holds it back by that. */
public record HoldingStandbys(long transactions) implements Look {

    @Override
    public String sql() {
        return """
                SELECT r.pid, r.application_name AS standby, r.client_addr AS address, age(r.backend_xmin) AS holds_back
                  FROM pg_stat_replication r
                 WHERE age(r.backend_xmin) >= ?
                 ORDER BY 4 DESC
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(transactions);
    }
}
