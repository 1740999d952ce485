/**
 * Gives tests a real PostgreSQL. One server is shared by all tests of a JVM; every test class gets a database of its
 * own, made in milliseconds and dropped with everything that is still connected to it.
 *
 * <p>The server runs in a container where a Docker engine answers, and is otherwise unpacked from a jar and run as a
 * child process. Both are the real thing. System properties overrule that choice; {@link
 * dev.rowlock.queue.test.postgres.Selection} lists them.
 *
 * <p>A test class writes {@link dev.rowlock.queue.test.postgres.PostgresTest}, a Spring Boot test imports {@link
 * dev.rowlock.queue.test.postgres.PostgresTestConfiguration}, and a test that must break the server starts an {@link
 * dev.rowlock.queue.test.postgres.EmbeddedServer} of its own.
 */
@NullMarked
package dev.rowlock.queue.test.postgres;

import org.jspecify.annotations.NullMarked;
