package dev.rowlock.queue.autoconfigure;

import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;
import org.springframework.boot.sql.init.dependency.DatabaseInitializerDetector;
import org.springframework.core.Ordered;

/** Tells Boot that {@link RowlockSchemaInitializer} prepares the database: after the application's own migrations. */
final class RowlockInitializerDetector extends AbstractBeansOfTypeDatabaseInitializerDetector
        implements DatabaseInitializerDetector {

    @Override
    protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
        return Set.of(RowlockSchemaInitializer.class);
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE - 100;
    }
}
