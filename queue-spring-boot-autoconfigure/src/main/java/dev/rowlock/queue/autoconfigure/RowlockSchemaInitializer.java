package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.schema.UnsupportedDatabaseException;
import dev.rowlock.queue.settings.SchemaMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.SmartLifecycle;

/**
 * Makes or checks the tables, before the beans that need them and after the application's own migrations. Where it is to do neither, it looks at the
 * database only when the application starts: a refresh alone, as in a training run that builds an image, needs no database then.
 */
final class RowlockSchemaInitializer implements InitializingBean, SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(RowlockSchemaInitializer.class);

    private final SchemaMigrator migrator;
    private final boolean onlyLooks;
    private final boolean needed;
    private volatile boolean running;

    /** {@code needed}: whether anything here uses the tables. Test slices that look at other things need none. */
    RowlockSchemaInitializer(SchemaMigrator migrator, SchemaMode mode, boolean needed) {
        this.migrator = migrator;
        this.onlyLooks = mode == SchemaMode.NONE;
        this.needed = needed;
    }

    @Override
    public void afterPropertiesSet() {
        if (!onlyLooks) {
            run();
        }
    }

    /** Long before the listeners. */
    @Override
    public int getPhase() {
        return 0;
    }

    @Override
    public void start() {
        if (onlyLooks) {
            run();
        }
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    private void run() {
        try {
            migrator.run();
        } catch (UnsupportedDatabaseException e) {
            if (needed) {
                throw e;
            }
            log.info("Rowlock creates no tables: {}", e.getMessage());
        }
    }
}
