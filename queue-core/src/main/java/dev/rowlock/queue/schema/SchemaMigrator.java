package dev.rowlock.queue.schema;

import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.settings.SchemaMode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
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

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private static final String MAY_NOT_MAKE_IT = """
            SELECT current_database()
             WHERE NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = ?) AND NOT has_database_privilege(current_database(), 'CREATE')
            """;

    private final DataSource dataSource;
    private final Schema schema;
    private final SchemaMode mode;
    private final List<SchemaScript> scripts;
    private final LockRetry lockRetry;

    /** @throws IllegalArgumentException if that is no name for a schema */
    public SchemaMigrator(DataSource dataSource, String schema, SchemaMode mode) {
        this(dataSource, schema, mode, SchemaScript.ALL, LockRetry.USUAL);
    }

    SchemaMigrator(
            DataSource dataSource, String schema, SchemaMode mode, List<SchemaScript> scripts, LockRetry lockRetry) {
        this.dataSource = dataSource;
        this.schema = new Schema(schema);
        this.mode = mode;
        this.scripts = scripts;
        this.lockRetry = lockRetry;
    }

    /** How long a migration that gives way tries again, and after which pause. */
    record LockRetry(Duration longest, Duration pause) {

        /** In the pause everything goes on that waited behind the migration. */
        static final LockRetry USUAL = new LockRetry(Duration.ofMinutes(5), Duration.ofSeconds(2));
    }

    /**
     * Does what the mode says.
     *
     * <p>A migration gives way: it waits only for moments for a lock of a table that jobs need, because claims wait behind
     * it, then rolls back and tries again. Meanwhile nodes of the release before go on. Whoever is interrupted or dies here
     * leaves whole migrations behind.
     *
     * @throws FlywayMissingException to be migrated, and Flyway is not on the class path
     * @throws UnsupportedDatabaseException if the database is not a PostgreSQL that Rowlock runs on, in every mode
     * @throws SchemaChangedException to be migrated or validated, and the tables were made from other texts
     * @throws SchemaForbiddenException to be made or upgraded, and the role may not do that
     * @throws SchemaLockedException to be upgraded, and for five minutes others have held locks on the tables
     * @throws SchemaMissingException to be validated, and there are no tables
     * @throws SchemaOutdatedException to be validated, and the tables are of another release
     */
    public void run() {
        Optional<SchemaHistory> history = look();
        switch (mode) {
            case MIGRATE -> migrate(history);
            case VALIDATE -> validate(history);
            case NONE ->
                LOG.debug("schema '{}' is neither created nor checked (rowlock.schema.mode=none)", schema.name());
        }
    }

    private Optional<SchemaHistory> look() {
        try (Connection connection = dataSource.getConnection()) {
            PostgresVersion.require(connection);
            if (mode == SchemaMode.NONE) {
                warnIfMissing(connection);
                return Optional.empty();
            }
            if (mode == SchemaMode.MIGRATE) {
                requireRight(connection);
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
                    "role '{}' finds no tables of Rowlock in schema '{}' of database '{}', and rowlock.schema.mode=none creates none: Rowlock does not work until they exist",
                    connection.getMetaData().getUserName(),
                    schema.name(),
                    connection.getCatalog());
        }
    }

    /** Flyway tries for nine seconds to make a schema that the role may not make. */
    private void requireRight(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(MAY_NOT_MAKE_IT)) {
            statement.setString(1, schema.name());
            try (ResultSet rows = statement.executeQuery()) {
                if (rows.next()) {
                    throw new SchemaForbiddenException(
                            "its role may not make the tables in schema '%s': permission denied for database %s, where it has no right to CREATE"
                                    .formatted(schema.name(), rows.getString(1)),
                            null);
                }
            }
        }
    }

    private void migrate(Optional<SchemaHistory> history) {
        FlywayMissingException.throwIfMissing();
        if (history.isPresent()) {
            requireUnchanged(history.get());
            if (history.get().missing(scripts).isEmpty()) {
                return;
            }
        }
        long begun = System.nanoTime();
        while (!migrated(begun)) {
            LockSupport.parkNanos(lockRetry.pause().toNanos());
        }
    }

    /** False: it gave way and is to be tried again. */
    private boolean migrated(long begun) {
        try {
            new Migration(dataSource, schema, scripts).run();
            return true;
        } catch (RuntimeException e) {
            if (!(NestedExceptionUtils.getMostSpecificCause(e) instanceof SQLException refusal)) {
                throw e;
            }
            if (INSUFFICIENT_PRIVILEGE.equals(refusal.getSQLState())) {
                throw new SchemaForbiddenException(
                        "its role may not make or upgrade the tables in schema '%s': %s"
                                .formatted(schema.name(), refusal.getMessage()),
                        e);
            }
            if (!LOCK_NOT_AVAILABLE.equals(refusal.getSQLState())) {
                throw e;
            }
            giveWay(begun, e);
            return false;
        }
    }

    private void giveWay(long begun, RuntimeException e) {
        if (System.nanoTime() - begun > lockRetry.longest().toNanos()
                || Thread.currentThread().isInterrupted()) {
            throw new SchemaLockedException(
                    "other transactions hold locks on its tables in schema '%s', and the migration has given way to them for %s"
                            .formatted(schema.name(), DurationText.of(lockRetry.longest())),
                    e);
        }
        LOG.warn(
                "migrating schema '{}' waits for transactions that hold locks on its tables; will retry in {}",
                schema.name(),
                lockRetry.pause());
    }

    private void validate(Optional<SchemaHistory> history) {
        SchemaHistory found = history.orElseThrow(() -> new SchemaMissingException(
                "there is no schema '%s' with the tables of Rowlock in this database".formatted(schema.name())));
        if (!found.missing(scripts).isEmpty()) {
            throw new SchemaOutdatedException("schema '%s' lacks migrations that this release of Rowlock needs: %s"
                    .formatted(schema.name(), files(found.missing(scripts))));
        }
        requireUnchanged(found);
    }

    private void requireUnchanged(SchemaHistory found) {
        if (!found.changed(scripts).isEmpty()) {
            throw new SchemaChangedException(
                    "the tables in schema '%s' were made from other texts than this release of Rowlock has (their checksums in %s.schema_history differ): %s"
                            .formatted(schema.name(), schema.name(), files(found.changed(scripts))));
        }
    }

    private static List<String> files(List<SchemaScript> scripts) {
        return scripts.stream().map(SchemaScript::name).toList();
    }
}
