package dev.rowlock.queue.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Says how jobs run in a test, and adds the bean {@link TestJobs}. Stands beside {@code @SpringBootTest}, {@code @DataJpaTest}, {@code @JdbcTest}
 * and the like; slices for JDBC and JPA get {@link dev.rowlock.queue.JobOperations} and the rest of Rowlock's beans by it. {@link RowlockTest}
 * brings it along.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureRowlock {

    /** Who runs the jobs. */
    Mode mode() default Mode.MANUAL;

    /** Who runs the jobs of a test. */
    enum Mode {

        /** The test, by {@link TestJobs#drain()}. Rowlock starts no threads and no node, whatever {@code rowlock.worker.enabled} says. */
        MANUAL,

        /** Rowlock, on threads of its own as in production; it sees only what is committed. Wait by {@link TestJobs#awaitIdle()}. */
        BACKGROUND
    }
}
