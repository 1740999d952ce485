package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;

/** Tells Boot which beans need a prepared database. */
final class RowlockDependsOnInitializationDetector extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {

    @Override
    protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
        return Set.of(JobTemplate.class, JobAdmin.class, JobSearch.class, Rowlock.class);
    }
}
