package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.util.List;

/** Scripts of this release that the tables have not seen, and scripts of the tables that this release does not know. */
public record OtherVersion(int newest) implements Look {

    @Override
    public String sql() {
        return """
                SELECT what, version
                  FROM (SELECT 'missing' COLLATE "C" AS what, v AS version
                          FROM generate_series(1, ?) AS v
                         WHERE NOT EXISTS (SELECT FROM rowlock.schema_history h WHERE h.success AND h.version = v::text)
                        UNION ALL
                        SELECT 'newer', h.version::int
                          FROM rowlock.schema_history h
                         WHERE h.success AND CASE WHEN h.version COLLATE "C" ~ '^[0-9]{1,9}$' THEN h.version::int > ? END) AS script
                 ORDER BY what, version
                 LIMIT 20
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(newest, newest);
    }
}
