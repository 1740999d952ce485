package dev.rowlock.queue.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.autoconfigure.jdbc.AutoConfigureDataSourceInitialization;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;
import org.springframework.transaction.annotation.Transactional;

/**
 * A slice for tests of listeners: DataSource, transactions, migrations (the application's and Rowlock's), JSON, Rowlock, and beans with
 * {@link dev.rowlock.queue.JobListener} methods. Other components of the application are left out: name what the listeners need by {@code
 * @Import}, {@code @MockitoBean} or {@link #includeFilters}.
 *
 * <p>Each test runs in a transaction that is rolled back. Jobs are run by {@link TestJobs#drain()} on the test's thread and in that
 * transaction. The database is the application's ({@code spring.datasource.url}), one of {@code @ServiceConnection}, or one of {@link
 * AutoConfigureEmbeddedPostgres}; it is never replaced by another kind.
 *
 * <pre>{@code
 * @RowlockTest(Invoices.class)
 * class InvoicesTest {
 *     @Autowired JobOperations queue;
 *     @Autowired TestJobs jobs;
 *     …
 * }
 * }</pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(SpringBootTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(ListenerFilter.class)
@Transactional
@AutoConfigureDataSourceInitialization
@AutoConfigureRowlock
@ImportAutoConfiguration
public @interface RowlockTest {

    /** The classes whose listeners are part of the test; by default all beans with {@link dev.rowlock.queue.JobListener} methods. */
    @AliasFor("listeners")
    Class<?>[] value() default {};

    /** The same as {@link #value}. */
    @AliasFor("value")
    Class<?>[] listeners() default {};

    /** Whether those are part of the test; otherwise only what {@link #includeFilters} and {@code @Import} name. */
    boolean useDefaultFilters() default true;

    /** Components of the application that are part of the test as well. */
    Filter[] includeFilters() default {};

    /** Components that are not. */
    Filter[] excludeFilters() default {};

    /** Auto-configurations that are left out. */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
