package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.util.List;

/**
 * Columns, indexes, checks, views, sequences and functions that the scripts make and that are not there, or are not as they make them. What
 * there is beside them is nobody's business. Says nothing about tables of another release.
 *
 * @param expected as {@link #PRESENT} describes them
 */
public record MissingObjects(int newest, List<String> expected) implements Look {

    /**
     * One line for each object of the schema that is named by a parameter, which is asked for five times. Without quotes: the server writes all
     * that it can where quote_all_identifiers is on.
     */
    public static final String PRESENT = """
            SELECT 'column ' || c.relname || '.' || a.attname || ' ' || replace(format_type(a.atttypid, a.atttypmod), '"', '')
                   || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END AS object
              FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = ? AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
               AND c.relname <> 'schema_history'
            UNION ALL
            SELECT 'index ' || i.relname || ' of ' || t.relname || replace(substring(replace(pg_get_indexdef(i.oid), quote_ident(n.nspname) || '.', '') FROM ' USING .*'), '"', '')
              FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
              JOIN pg_namespace n ON n.oid = i.relnamespace
             WHERE n.nspname = ? AND NOT i.relispartition AND t.relname <> 'schema_history'
            UNION ALL
            SELECT CASE c.relkind WHEN 'S' THEN 'sequence ' ELSE 'unlogged table ' END || c.relname
              FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = ? AND (c.relkind = 'S' OR c.relkind = 'r' AND c.relpersistence = 'u')
            UNION ALL
            SELECT 'function ' || p.proname || '(' || replace(pg_get_function_identity_arguments(p.oid), '"', '') || ')'
              FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
             WHERE n.nspname = ?
            UNION ALL
            SELECT 'check ' || k.conname || ' of ' || c.relname
              FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = ? AND k.contype = 'c' AND NOT c.relispartition AND c.relname <> 'schema_history'
            """;

    @Override
    public String sql() {
        return """
                SELECT e.object AS missing
                  FROM unnest(?::text[]) AS e (object)
                 WHERE e.object NOT IN (%s)
                   AND (SELECT max(h.version::int) FROM rowlock.schema_history h
                         WHERE h.success AND h.version COLLATE "C" ~ '^[0-9]{1,9}$') = ?
                 ORDER BY e.object COLLATE "C"
                 LIMIT 20
                """.formatted(PRESENT);
    }

    @Override
    public List<Object> parameters(Schema schema) {
        String name = schema.name();
        return List.of(expected.toArray(String[]::new), name, name, name, name, name, newest);
    }
}
