package dev.rowlock.queue.test.postgres;

import javax.sql.DataSource;

/**
 * Makes the tables with which databases of {@link PostgresTest#migrated()} begin. Found by {@link java.util.ServiceLoader}: a module whose tests want such
 * databases has one.
 */
@FunctionalInterface
public interface TestTables {

    /** Called once for each JVM, with an empty database of which the others are copies. Keeps no connection. */
    void make(DataSource database);
}
