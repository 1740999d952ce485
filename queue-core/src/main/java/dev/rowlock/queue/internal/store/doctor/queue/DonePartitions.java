package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.util.List;

/** How many partitions done has, if there are more than so many, or if one statement that reads them all takes a tenth of the server's locks. */
public record DonePartitions(int most) implements Look {

    @Override
    public String sql() {
        return """
                SELECT p.partitions, p.partitions * 3 AS locks, s.locks AS locks_of_server
                  FROM (SELECT count(*) AS partitions FROM pg_inherits WHERE inhparent = 'rowlock.done'::regclass) AS p
                 CROSS JOIN (SELECT current_setting('max_locks_per_transaction')::bigint
                                    * (current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint) AS locks) AS s
                 WHERE p.partitions > ? OR p.partitions * 3 > s.locks / 10
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(most);
    }
}
