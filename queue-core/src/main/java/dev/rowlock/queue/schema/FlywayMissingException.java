package dev.rowlock.queue.schema;

import org.springframework.util.ClassUtils;

/** The tables are to be made or upgraded, and what does that is not on the class path. */
public final class FlywayMissingException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private FlywayMissingException(String module) {
        super(
                "rowlock.schema.mode=migrate makes the tables by Flyway, and there is no org.flywaydb:%s on the class path"
                        .formatted(module));
    }

    /** At each start, not only when a release brings a migration: then nobody would expect it. */
    static void throwIfMissing() {
        require("flyway-core", "org.flywaydb.core.Flyway");
        require("flyway-database-postgresql", "org.flywaydb.database.postgresql.PostgreSQLDatabaseType");
    }

    private static void require(String module, String name) {
        if (!ClassUtils.isPresent(name, FlywayMissingException.class.getClassLoader())) {
            throw new FlywayMissingException(module);
        }
    }
}
