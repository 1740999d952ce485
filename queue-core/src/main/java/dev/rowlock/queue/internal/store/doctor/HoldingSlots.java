package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.util.List;

/** Replication slots that hold back vacuum by at least this many transactions. */
public record HoldingSlots(long transactions) implements Look {

    @Override
    public String sql() {
        return """
                SELECT s.slot_name, quote_literal(s.slot_name) AS literal, s.slot_type, s.active, coalesce(age(s.xmin) >= ?, false) AS all_tables,
                       greatest(age(s.xmin), age(s.catalog_xmin)) AS holds_back
                  FROM pg_replication_slots s
                 WHERE greatest(age(s.xmin), age(s.catalog_xmin)) >= ?
                 ORDER BY 5 DESC, 6 DESC
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(transactions, transactions);
    }
}
