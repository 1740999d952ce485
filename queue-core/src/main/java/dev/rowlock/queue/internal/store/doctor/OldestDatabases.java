package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.util.List;

/** Databases whose oldest row is at least this many transactions, or multixacts, old. */
public record OldestDatabases(long age) implements Look {

    @Override
    public String sql() {
        return """
                SELECT d.datname AS database, age(d.datfrozenxid) AS transactions, mxid_age(d.datminmxid) AS multixacts,
                       greatest(age(d.datfrozenxid), mxid_age(d.datminmxid)) AS age
                  FROM pg_database d
                 WHERE greatest(age(d.datfrozenxid), mxid_age(d.datminmxid)) >= ?
                 ORDER BY 4 DESC
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(age);
    }
}
