package dev.rowlock.queue.chaos.upgrade;

import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.settings.SchemaMode;
import org.postgresql.ds.PGSimpleDataSource;

/** What every application does as it starts: makes or upgrades the tables, and accepts them. The argument is a URL. */
public final class MigrateMain {

    private MigrateMain() {}

    public static void main(String[] arguments) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(arguments[0]);
        new SchemaMigrator(source, "rowlock", SchemaMode.MIGRATE).run();
        new SchemaMigrator(source, "rowlock", SchemaMode.VALIDATE).run();
    }
}
