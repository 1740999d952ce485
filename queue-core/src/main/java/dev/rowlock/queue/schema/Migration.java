package dev.rowlock.queue.schema;

import dev.rowlock.queue.internal.db.Schema;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * Flyway as it runs our scripts. The only class that is loaded with Flyway's: an application whose tables are made elsewhere may do without it.
 */
record Migration(DataSource dataSource, Schema schema, List<SchemaScript> scripts) {

    /** How often Flyway asks, once a second, for the lock that another node's migration holds. */
    private static final int LOCK_ATTEMPTS = 300;

    /** @throws org.flywaydb.core.api.FlywayException if it fails; then whole migrations are there or none of them */
    void run() {
        flyway().migrate();
    }

    Flyway flyway() {
        return Flyway.configure(Migration.class.getClassLoader())
                .dataSource(dataSource)
                .schemas(schema.name())
                .defaultSchema(schema.name())
                .table(SchemaHistory.TABLE)
                .locations("classpath:" + SchemaScript.FOLDER)
                .resourceProvider(new BundledScripts(scripts))
                .javaMigrationClassProvider(List::of)
                .placeholders(Map.of("schema", SchemaScript.placeholder(schema)))
                .lockRetryCount(LOCK_ATTEMPTS)
                // The scripts call functions, and what those return would fill the log.
                .outputQueryResults(false)
                // A lock held by an open transaction would make every CREATE INDEX CONCURRENTLY wait for it for ever.
                .configuration(Map.of("flyway.postgresql.transactional.lock", "false"))
                .load();
    }
}
