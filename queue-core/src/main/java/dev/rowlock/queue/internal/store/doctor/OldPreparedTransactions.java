package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.time.Duration;
import java.util.List;

/** Prepared transactions of this database that are older than this. */
public record OldPreparedTransactions(Duration olderThan) implements Look {

    @Override
    public String sql() {
        return """
                SELECT gid, quote_literal(gid) AS literal, owner, prepared, age(transaction) AS holds_back
                  FROM pg_prepared_xacts
                 WHERE database = current_database() AND clock_timestamp() - prepared > ? * interval '1 ms'
                 ORDER BY prepared
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(olderThan.toMillis());
    }
}
