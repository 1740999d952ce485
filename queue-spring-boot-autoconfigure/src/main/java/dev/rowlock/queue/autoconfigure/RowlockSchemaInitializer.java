package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.schema.UnsupportedDatabaseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;

/** Makes or checks the tables, before the beans that need them and after the application's own migrations. */
final class RowlockSchemaInitializer implements InitializingBean {

    private static final Logger log = LoggerFactory.getLogger(RowlockSchemaInitializer.class);

    private final SchemaMigrator migrator;
    private final boolean needed;

    /** {@code needed}: whether anything here uses the tables. Test slices that look at other things need none. */
    RowlockSchemaInitializer(SchemaMigrator migrator, boolean needed) {
        this.migrator = migrator;
        this.needed = needed;
    }

    @Override
    public void afterPropertiesSet() {
        try {
            migrator.run();
        } catch (UnsupportedDatabaseException e) {
            if (needed) {
                throw e;
            }
            log.info("no tables are made for Rowlock: {}", e.getMessage());
        }
    }
}
