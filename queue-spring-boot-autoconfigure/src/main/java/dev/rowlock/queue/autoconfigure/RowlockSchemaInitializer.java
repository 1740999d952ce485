package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.internal.schema.SchemaMigrator;
import dev.rowlock.queue.internal.schema.UnsupportedDatabaseException;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.spi.SchemaMode;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;

/** Makes or checks the tables, before the beans that need them and after the application's own migrations. */
final class RowlockSchemaInitializer implements InitializingBean {

    private static final Logger log = LoggerFactory.getLogger(RowlockSchemaInitializer.class);

    private final DataSource connections;
    private final Schema schema;
    private final SchemaMode mode;
    private final boolean needed;

    /** {@code needed}: whether anything here uses the tables. Test slices that look at other things need none. */
    RowlockSchemaInitializer(DataSource connections, Schema schema, SchemaMode mode, boolean needed) {
        this.connections = connections;
        this.schema = schema;
        this.mode = mode;
        this.needed = needed;
    }

    @Override
    public void afterPropertiesSet() {
        try {
            new SchemaMigrator(connections, schema, mode).run();
        } catch (UnsupportedDatabaseException e) {
            if (needed) {
                throw e;
            }
            log.info("no tables are made for Rowlock: {}", e.getMessage());
        }
    }
}
