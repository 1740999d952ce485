package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What a database administrator reads with \d+. */
@PostgresTest(freshPerTest = true)
class SchemaCommentsTest {

    private final JdbcClient jdbc;

    SchemaCommentsTest(TestDatabase database) {
        jdbc = JdbcClient.create(database.dataSource());
        new SchemaMigrator(database.dataSource(), "rowlock", SchemaMode.MIGRATE).run();
    }

    @Test
    void everyTableViewAndSequenceSaysWhatItIs() {
        assertThat(jdbc.sql("""
                        SELECT relname::text FROM pg_class c
                         WHERE relnamespace = 'rowlock'::regnamespace AND relkind IN ('r', 'p', 'v', 'S') AND NOT relispartition
                           AND relname <> 'schema_history' AND obj_description(oid, 'pg_class') IS NULL
                        """).query(String.class).list()).isEmpty();
    }

    @Test
    void everyColumnSaysWhatItMeans() {
        assertThat(jdbc.sql("""
                        SELECT c.relname || '.' || a.attname
                          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
                         WHERE c.relnamespace = 'rowlock'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
                           AND c.relname <> 'schema_history' AND col_description(c.oid, a.attnum) IS NULL
                        """).query(String.class).list()).isEmpty();
    }

    @Test
    void everyFunctionSaysWhatItDoes() {
        assertThat(jdbc.sql("""
                        SELECT proname::text FROM pg_proc
                         WHERE pronamespace = 'rowlock'::regnamespace AND obj_description(oid, 'pg_proc') IS NULL
                        """).query(String.class).list()).isEmpty();
    }

    @Test
    void aColumnNamedWithItsTableMeansSomethingOfItsOwn() {
        assertThat(jdbc.sql("SELECT col_description('rowlock.job'::regclass, attnum) FROM pg_attribute"
                                + " WHERE attrelid = 'rowlock.job'::regclass AND attname = 'node'")
                        .query(String.class)
                        .single())
                .contains("last attempt");
    }
}
