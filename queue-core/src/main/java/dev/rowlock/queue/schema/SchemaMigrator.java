package dev.rowlock.queue.schema;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.settings.SchemaMode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/**
 * Brings the tables to this release, or makes sure that they are there. Needs nothing but a DataSource, so that it can
 * run before everything else. Any number of nodes may run it at once.
 */
public final class SchemaMigrator {

    private static final Logger LOG = LoggerFactory.getLogger(SchemaMigrator.class);

    /** How often Flyway asks, once a second, for the lock that another node's migration holds. */
    private static final int LOCK_ATTEMPTS = 300;

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private final DataSource dataSource;
    private final Schema schema;
    private final SchemaMode mode;

    /** @throws IllegalArgumentException if that is no name for a schema */
    public SchemaMigrator(DataSource dataSource, String schema, SchemaMode mode) {
        this.dataSource = dataSource;
        this.schema = new Schema(schema);
        this.mode = mode;
    }

    /**
     * Does what the mode says.
     *
     * @throws UnsupportedDatabaseException if the database is not a PostgreSQL that Rowlock runs on, in every mode
     * @throws SchemaChangedException to be migrated or validated, and the tables were made from other texts
     * @throws SchemaForbiddenException to be made or upgraded, and the role may not do that
     * @throws SchemaMissingException to be validated, and there are no tables
     * @throws SchemaOutdatedException to be validated, and the tables are of another release
     */
    public void run() {
        Optional<SchemaHistory> history = look();
        switch (mode) {
            case MIGRATE -> migrate(history);
            case VALIDATE -> validate(history);
            case NONE -> LOG.debug("Schema '{}' is neither made nor checked (rowlock.schema.mode=none)", schema.name());
        }
    }

    private Optional<SchemaHistory> look() {
        try (Connection connection = dataSource.getConnection()) {
            PostgresVersion.require(connection);
            if (mode == SchemaMode.NONE) {
                warnIfMissing(connection);
                return Optional.empty();
            }
            return SchemaHistory.read(connection, schema);
        } catch (SQLException e) {
            throw new CannotGetJdbcConnectionException(
                    "cannot look at schema '%s' of Rowlock".formatted(schema.name()), e);
        }
    }

    private void warnIfMissing(Connection connection) throws SQLException {
        if (!SchemaHistory.exists(connection, schema, "ready")) {
            LOG.warn(
                    "role '{}' finds no tables of Rowlock in schema '{}' of database '{}', and rowlock.schema.mode=none makes none: nothing works until somebody does",
                    connection.getMetaData().getUserName(),
                    schema.name(),
                    connection.getCatalog());
        }
    }

    private void migrate(Optional<SchemaHistory> history) {
        if (history.isPresent()) {
            requireUnchanged(history.get());
            if (history.get().missing().isEmpty()) {
                return;
            }
        }
        try {
            flyway().migrate();
        } catch (FlywayException e) {
            if (NestedExceptionUtils.getMostSpecificCause(e) instanceof SQLException refusal
                    && INSUFFICIENT_PRIVILEGE.equals(refusal.getSQLState())) {
                throw new SchemaForbiddenException(
                        "its role may not make or upgrade the tables in schema '%s': %s"
                                .formatted(schema.name(), refusal.getMessage()),
                        e);
            }
            throw e;
        }
    }

    Flyway flyway() {
        return Flyway.configure(SchemaMigrator.class.getClassLoader())
                .dataSource(dataSource)
                .schemas(schema.name())
                .defaultSchema(schema.name())
                .table(SchemaHistory.TABLE)
                .locations("classpath:" + SchemaScript.FOLDER)
                .resourceProvider(new BundledScripts())
                .javaMigrationClassProvider(List::of)
                .placeholders(Map.of("schema", SchemaScript.placeholder(schema)))
                .lockRetryCount(LOCK_ATTEMPTS)
                // The scripts call functions, and what those return would fill the log.
                .outputQueryResults(false)
                // A lock held by an open transaction would make every CREATE INDEX CONCURRENTLY wait for it for ever.
                .configuration(Map.of("flyway.postgresql.transactional.lock", "false"))
                .load();
    }

    private void validate(Optional<SchemaHistory> history) {
        SchemaHistory found = history.orElseThrow(() -> new SchemaMissingException(
                "there is no schema '%s' with the tables of Rowlock in this database".formatted(schema.name())));
        if (!found.missing().isEmpty()) {
            throw new SchemaOutdatedException("schema '%s' lacks migrations that this release of Rowlock needs: %s"
                    .formatted(schema.name(), files(found.missing())));
        }
        requireUnchanged(found);
    }

    private void requireUnchanged(SchemaHistory found) {
        if (!found.changed().isEmpty()) {
            throw new SchemaChangedException(
                    "the tables in schema '%s' were made from other texts than this release of Rowlock has (their checksums in %s.schema_history differ): %s"
                            .formatted(schema.name(), schema.name(), files(found.changed())));
        }
    }

    private static List<String> files(List<SchemaScript> scripts) {
        return scripts.stream().map(SchemaScript::file).toList();
    }
}
