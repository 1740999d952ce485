package dev.rowlock.queue.test.postgres;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class a database of its own, empty or with tables. Constructors, tests and lifecycle methods take it as a parameter, as
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

    /** A new database for every single test instead. Costs some ten milliseconds, and where it is empty the migrations, each time. */
    boolean freshPerTest() default false;

    /** It has the tables that {@link TestTables} makes: a copy, which takes a tenth of the time of the migrations. Otherwise it is empty. */
    boolean migrated() default false;

    /**
     * Tests are a superuser in it, not an ordinary role as applications have: only where nearly all that they do needs that. A test that needs
     * it for one thing asks for {@link TestDatabase#superuser()}.
     */
    boolean superuser() default false;
}
