package dev.rowlock.queue.autoconfigure.failure;

import dev.rowlock.queue.schema.FlywayMissingException;
import dev.rowlock.queue.schema.SchemaChangedException;
import dev.rowlock.queue.schema.SchemaForbiddenException;
import dev.rowlock.queue.schema.SchemaLockedException;
import dev.rowlock.queue.schema.SchemaMissingException;
import dev.rowlock.queue.schema.SchemaOutdatedException;
import dev.rowlock.queue.schema.UnsupportedDatabaseException;
import dev.rowlock.queue.spi.DuplicateJobListenerException;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.UnsuitableTransactionsException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.env.Environment;

/** Says what kept Rowlock from starting, and what to do about it. */
public final class RowlockFailureAnalyzer implements FailureAnalyzer {

    private static final String MAKE_TABLES_BY_HAND = """
            Or hand this script to whoever makes tables here, to be run as the role that is to own them (docs/database.md has the rights of others):

                java -cp rowlock-core.jar dev.rowlock.queue.schema.SchemaScript <schema>""";

    private static final String MAKE_TABLES =
            "Either let Rowlock make them: rowlock.schema.mode=migrate.\n" + MAKE_TABLES_BY_HAND;

    private static final String ADD_FLYWAY = """
            Add flyway-core and flyway-database-postgresql of org.flywaydb (the starter brings both unless they are excluded). Or have the tables made \
            elsewhere, and set rowlock.schema.mode=validate, which needs no Flyway.
            """ + MAKE_TABLES_BY_HAND;

    private static final String ALLOW_SCHEMA = """
            Let an administrator make the schema, empty, for that role: CREATE SCHEMA <schema> AUTHORIZATION <role>; or
            allow the role to make it: GRANT CREATE ON DATABASE <database> TO <role>.""";

    private static final String UPGRADE_TABLES = """
            Either let Rowlock upgrade them: rowlock.schema.mode=migrate. Or hand this script, from the version of the tables to the newest, to \
            whoever makes tables here, before this release is deployed:

                java -cp rowlock-core.jar dev.rowlock.queue.schema.SchemaScript <schema> --from <version>""";

    private static final String END_TRANSACTIONS =
            "End the long transactions that use the tables (SELECT pid, xact_start, query FROM pg_stat_activity ORDER BY xact_start), and start again. Nodes of the release before go on meanwhile.";

    private static final String REPLACE_TABLES = """
            They come from a snapshot build, or somebody has edited the scripts or that table. Where the jobs do not \
            matter: DROP SCHEMA <schema> CASCADE, and start again. Otherwise deploy the build that made them.""";

    private static final String USE_POSTGRESQL = """
            Use a DataSource of PostgreSQL 14 or later. If the application has several, mark the right one with \
            @RowlockDataSource. Tests that need no jobs may set rowlock.enabled=false.""";

    private static final String DEFINE_DATA_SOURCE = """
            Set spring.datasource.url, or define a DataSource bean. If this application is not to have a job queue, set \
            rowlock.enabled=false.""";

    private static final String CHOOSE_DATA_SOURCE =
            "Mark the one that is to hold the jobs with @RowlockDataSource, or make it @Primary.";

    private static final String CORRECT_SETTING = "Correct the property; each has its default when it is left out.";

    private static final String CORRECT_NAME = "Correct the name, or remove the property.";

    private final @Nullable Environment environment;

    /** Boot passes the environment; null where the failure came before there was one. */
    public RowlockFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        Set<Throwable> seen = new HashSet<>();
        for (Throwable cause = failure; cause != null && seen.add(cause); cause = cause.getCause()) {
            FailureAnalysis analysis = analysisOf(cause);
            if (analysis != null) {
                return analysis;
            }
        }
        return null;
    }

    private @Nullable FailureAnalysis analysisOf(Throwable cause) {
        if (cause instanceof InvalidJobListenerException invalid) {
            return new FailureAnalysis(sentence(invalid.problem()), sentence(invalid.remedy()), cause);
        }
        if (cause instanceof DuplicateJobListenerException duplicate) {
            return new FailureAnalysis(sentence(duplicate.problem()), sentence(duplicate.remedy()), cause);
        }
        if (cause instanceof NoDataSourceException missing) {
            return analysis(cause, missing.candidates().isEmpty() ? DEFINE_DATA_SOURCE : CHOOSE_DATA_SOURCE);
        }
        if (cause instanceof UnsuitableTransactionsException unsuitable) {
            return analysis(cause, unsuitable.remedy());
        }
        if (cause instanceof FlywayMissingException) {
            return analysis(cause, ADD_FLYWAY);
        }
        if (cause instanceof SchemaForbiddenException) {
            return analysis(cause, ALLOW_SCHEMA + "\n" + MAKE_TABLES_BY_HAND);
        }
        if (cause instanceof UnsupportedDatabaseException) {
            return analysis(cause, USE_POSTGRESQL);
        }
        if (cause instanceof SchemaMissingException) {
            return analysis(cause, MAKE_TABLES);
        }
        if (cause instanceof SchemaOutdatedException) {
            return analysis(cause, UPGRADE_TABLES);
        }
        if (cause instanceof SchemaLockedException) {
            return analysis(cause, END_TRANSACTIONS);
        }
        if (cause instanceof SchemaChangedException) {
            return analysis(cause, REPLACE_TABLES);
        }
        if (cause instanceof InvalidSettingException invalid) {
            return analysis(cause, CORRECT_SETTING + set(origins -> origins.below(List.of(invalid.prefix()))));
        }
        if (cause instanceof UnknownPropertyException unknown) {
            return analysis(cause, CORRECT_NAME + set(origins -> origins.namesBelow(unknown.names())));
        }
        return null;
    }

    private String set(Function<PropertyOrigins, String> lookedUp) {
        String lines = environment == null ? "" : lookedUp.apply(new PropertyOrigins(environment));
        return lines.isEmpty() ? "" : "\n\nSet are:\n\n" + lines;
    }

    private static FailureAnalysis analysis(Throwable cause, String action) {
        return new FailureAnalysis(sentence("Rowlock cannot start: " + cause.getMessage()), action, cause);
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }
}
