package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.util.List;

/** Where autovacuum is off: the whole server, or tables of ours. */
public record AutovacuumOff() implements Look {

    @Override
    public String sql() {
        return """
                SELECT 'server' AS place, '' AS name WHERE current_setting('autovacuum') = 'off'
                UNION ALL
                SELECT 'table', CAST(CAST(t.oid AS regclass) AS text)
                  FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
                  CROSS JOIN LATERAL pg_options_to_table(t.reloptions) o
                 WHERE n.nspname = ? AND t.relkind = 'r' AND o.option_name = 'autovacuum_enabled' AND NOT CAST(o.option_value AS boolean)
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(schema.name());
    }
}
