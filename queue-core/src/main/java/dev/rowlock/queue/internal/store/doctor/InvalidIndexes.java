package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.util.List;

/** Indexes of our tables that PostgreSQL does not use. */
public record InvalidIndexes() implements Look {

    @Override
    public String sql() {
        return """
                SELECT CAST(i.indexrelid AS regclass) AS index, CAST(i.indrelid AS regclass) AS "table"
                  FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
                 WHERE n.nspname = ? AND NOT (i.indisvalid AND i.indisready)
                   -- Of what other roles make, some roles see only that they make something.
                   AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p
                                    WHERE p.index_relid = i.indexrelid OR p.index_relid IS NULL AND p.datname = current_database())
                 ORDER BY 1
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(schema.name());
    }
}
