package dev.rowlock.queue.test.postgres;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class an empty database of its own. Constructors, tests and lifecycle methods take it as a parameter, as
 * {@link TestDatabase} or as {@link javax.sql.DataSource} (its pool). Nested classes share it.
 *
 * <pre>{@code
 * @PostgresTest
 * class ClaimReadyJobsTest {
 *     private final TestDatabase database;
 *
 *     ClaimReadyJobsTest(TestDatabase database) {
 *         this.database = database;
 *     }
 * }
 * }</pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(PostgresExtension.class)
public @interface PostgresTest {

    /** A new database for every single test instead. Costs some ten milliseconds and the migrations each time. */
    boolean freshPerTest() default false;
}
