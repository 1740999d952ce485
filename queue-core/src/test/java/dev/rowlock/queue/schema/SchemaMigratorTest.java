package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

@Representative
@PostgresTest(freshPerTest = true)
class SchemaMigratorTest {

    private static final Schema SCHEMA = new Schema("rowlock");

    private final DataSource dataSource;
    private final JdbcClient jdbc;

    SchemaMigratorTest(DataSource dataSource) {
        this.dataSource = dataSource;
        this.jdbc = JdbcClient.create(dataSource);
    }

    @Test
    void migrateMakesTheTablesAndAcceptsThemAfterwards() {
        run(SCHEMA, SchemaMode.MIGRATE);
        run(SCHEMA, SchemaMode.MIGRATE);
        run(SCHEMA, SchemaMode.VALIDATE);

        assertThat(tables("rowlock")).contains("waiting", "ready", "running", "done", "dead", "schema_history");
        assertThat(tables("public")).isEmpty();
    }

    @Test
    void largeValuesAreCompressedWithLz4InAllRoomsWhereTheServerHasIt() {
        run(SCHEMA, SchemaMode.MIGRATE);

        List<String> compressions = jdbc.sql("""
                        SELECT DISTINCT a.attcompression::text
                          FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                         WHERE c.relnamespace = 'rowlock'::regnamespace AND c.relkind IN ('r', 'p')
                           AND c.relname NOT IN ('node', 'bulk_action', 'queue_limit') -- what these say is short, and moves nowhere
                           AND a.atttypid IN ('json'::regtype, 'jsonb'::regtype)
                        """).query(String.class).list();
        // An empty text is the server's default.
        assertThat(compressions).containsExactly(serverHasLz4() ? "l" : "");
    }

    @Test
    void severalSchemasLiveInOneDatabaseAlsoUnderAKeyword() {
        run(new Schema("order"), SchemaMode.MIGRATE);
        run(new Schema("tenant_b"), SchemaMode.MIGRATE);

        assertThat(tables("order")).isEqualTo(tables("tenant_b")).contains("ready");
        assertThat(tables("rowlock")).isEmpty();
    }

    @Test
    void nodesThatStartAtOnceAllComeUp() throws Exception {
        int nodes = 4;
        CyclicBarrier start = new CyclicBarrier(nodes);
        Callable<Void> node = () -> {
            start.await();
            run(SCHEMA, SchemaMode.MIGRATE);
            return null;
        };

        ExecutorService threads = Executors.newFixedThreadPool(nodes);
        try {
            for (Future<Void> started : threads.invokeAll(List.of(node, node, node, node))) {
                started.get();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(appliedVersions()).hasSize(SchemaScript.ALL.size());
        run(SCHEMA, SchemaMode.VALIDATE);
    }

    /** That would take ten times as long as all else that is done with them. */
    @Test
    void largePayloadsAreNotCompressedByPglz() {
        run(SCHEMA, SchemaMode.MIGRATE);

        assertThat(jdbc.sql("""
                                SELECT attcompression = 'l' OR attstorage = 'e' FROM pg_attribute
                                 WHERE attrelid = 'rowlock.payload'::regclass AND attname = 'payload'
                                """).query(Boolean.class).single()).isTrue();
    }

    @Test
    void aSchemaThatTheAdministratorMadeEmptyIsFilled() {
        jdbc.sql("CREATE SCHEMA rowlock").update();

        run(SCHEMA, SchemaMode.MIGRATE);

        run(SCHEMA, SchemaMode.VALIDATE);
    }

    @Test
    void theSchemaLivesBesideTheApplicationsOwnTables() {
        jdbc.sql("CREATE TABLE flyway_schema_history (version text)").update();
        jdbc.sql("CREATE TABLE databasechangelog (id text)").update();

        run(SCHEMA, SchemaMode.MIGRATE);

        assertThat(tables("public")).containsExactly("databasechangelog", "flyway_schema_history");
        assertThat(tables("rowlock")).contains("ready");
    }

    @Test
    void oneConnectionIsEnoughIfThereIsNothingToDo() {
        run(SCHEMA, SchemaMode.MIGRATE);

        try (var pool = Pools.ofOne(dataSource)) {
            new SchemaMigrator(pool, SCHEMA.name(), SchemaMode.MIGRATE).run();
            new SchemaMigrator(pool, SCHEMA.name(), SchemaMode.VALIDATE).run();
        }
    }

    @Test
    void validateNamesTheSchemaThatIsMissing() {
        assertThatThrownBy(() -> run(SCHEMA, SchemaMode.VALIDATE))
                .isInstanceOf(SchemaMissingException.class)
                .hasMessageContaining("'rowlock'");
        assertThat(tables("rowlock")).isEmpty();
    }

    @Test
    void validateNamesTheMigrationsThatAreMissing() {
        run(SCHEMA, SchemaMode.MIGRATE);
        jdbc.sql("DELETE FROM rowlock.schema_history WHERE version = '1'").update();

        assertThatThrownBy(() -> run(SCHEMA, SchemaMode.VALIDATE))
                .isInstanceOf(SchemaOutdatedException.class)
                .hasMessageContaining("V1__tables.sql");
    }

    @Test
    void tablesMadeByAnotherScriptAreRefusedAndLeftAlone() {
        run(SCHEMA, SchemaMode.MIGRATE);
        jdbc.sql("UPDATE rowlock.schema_history SET checksum = 42 WHERE version = '1'")
                .update();

        for (SchemaMode mode : List.of(SchemaMode.VALIDATE, SchemaMode.MIGRATE)) {
            assertThatThrownBy(() -> run(SCHEMA, mode))
                    .isInstanceOf(SchemaChangedException.class)
                    .hasMessageContaining("V1__tables.sql");
        }
    }

    @Test
    void aNodeOlderThanTheTablesStartsSoThatDeploymentsMayRoll() {
        run(SCHEMA, SchemaMode.MIGRATE);
        jdbc.sql("""
                INSERT INTO rowlock.schema_history
                       (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
                VALUES (99, '99', 'future', 'SQL', 'V99__future.sql', 1, 'dba', 0, true)
                """).update();

        run(SCHEMA, SchemaMode.VALIDATE);
        run(SCHEMA, SchemaMode.MIGRATE);
    }

    @Test
    void theModeNoneTouchesNothing() {
        run(SCHEMA, SchemaMode.NONE);

        assertThat(tables("rowlock")).isEmpty();
    }

    @Test
    void thePlainScriptMakesExactlyWhatMigrateMakes() {
        runPlainScript();
        run(new Schema("migrated"), SchemaMode.MIGRATE);

        assertThat(columns("rowlock")).isEqualTo(columns("migrated"));
        assertThat(indexes("rowlock")).isEqualTo(indexes("migrated"));
    }

    @Test
    void everyModeAcceptsTheTablesOfThePlainScript() {
        runPlainScript();

        run(SCHEMA, SchemaMode.VALIDATE);
        run(SCHEMA, SchemaMode.MIGRATE);
        assertThat(appliedVersions()).hasSize(SchemaScript.ALL.size());
    }

    @Test
    void flywayItselfAcceptsTheHistoryOfThePlainScript() {
        runPlainScript();

        Flyway flyway = new Migration(dataSource, SCHEMA, SchemaScript.ALL).flyway();

        assertThat(flyway.validateWithResult().validationSuccessful).isTrue();
        assertThat(flyway.migrate().migrationsExecuted).isZero();
    }

    private boolean serverHasLz4() {
        return jdbc.sql("SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression'")
                .query(Boolean.class)
                .single();
    }

    private void runPlainScript() {
        new JdbcTemplate(dataSource).execute(SchemaScript.plainSql(SCHEMA.name()));
    }

    private void run(Schema schema, SchemaMode mode) {
        new SchemaMigrator(dataSource, schema.name(), mode).run();
    }

    private List<String> appliedVersions() {
        return jdbc.sql("SELECT version FROM rowlock.schema_history WHERE version IS NOT NULL")
                .query(String.class)
                .list();
    }

    private List<String> tables(String schema) {
        return jdbc.sql("SELECT tablename::text FROM pg_tables WHERE schemaname = ? ORDER BY 1")
                .param(schema)
                .query(String.class)
                .list();
    }

    private List<String> columns(String schema) {
        return jdbc.sql("""
                SELECT concat_ws(' ', table_name, column_name, data_type, character_maximum_length, is_nullable,
                                 replace(column_default, table_schema, ''))
                  FROM information_schema.columns
                 WHERE table_schema = ?
                 ORDER BY table_name, ordinal_position
                """).param(schema).query(String.class).list();
    }

    private List<String> indexes(String schema) {
        return jdbc.sql("SELECT replace(indexdef, schemaname, '') FROM pg_indexes WHERE schemaname = ? ORDER BY 1")
                .param(schema)
                .query(String.class)
                .list();
    }
}
