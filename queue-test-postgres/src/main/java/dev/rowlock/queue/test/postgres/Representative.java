package dev.rowlock.queue.test.postgres;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Marks tests that also run on the oldest PostgreSQL, in containers and on the newest Java ({@code -Pmatrix}). Mark what could
 * differ there: statements, plans, migrations, threads, startup. The rest runs once, on the defaults.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Tag("representative")
public @interface Representative {}
