package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.TestTables;
import javax.sql.DataSource;

/** The schema {@code rowlock}, as it is after all migrations. */
public final class MigratedTables implements TestTables {

    @Override
    public void make(DataSource database) {
        new SchemaMigrator(database, "rowlock", SchemaMode.MIGRATE).run();
    }
}
