package dev.rowlock.queue.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * A job queue for an application context without Spring Boot: on a {@code @Configuration} class. There is then a {@link dev.rowlock.queue.Rowlock} with a
 * bean for each of its faces, such as {@link dev.rowlock.queue.JobOperations} and {@link dev.rowlock.queue.JobSearch}; methods with {@link
 * dev.rowlock.queue.JobListener} of all beans run jobs for as long as the context runs.
 *
 * <p>It takes the DataSource that is the only or the primary one, and the PlatformTransactionManager likewise; without a manager, transactional
 * listeners use a JdbcTransactionManager. Beans take part whose types do with Spring Boot: interceptors, observers, redactors, recurring jobs, admission
 * policies, converters, a codec, keys. {@link RowlockBuilderCustomizer} beans set all else; what nobody sets has the default of Spring Boot's property.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(RowlockConfiguration.class)
public @interface EnableRowlock {

    /** The bean that holds the jobs, where there are several DataSources and none is primary. */
    String dataSource() default "";

    /** The bean for transactions of listeners, where there are several managers and none is primary. */
    String transactionManager() default "";
}
