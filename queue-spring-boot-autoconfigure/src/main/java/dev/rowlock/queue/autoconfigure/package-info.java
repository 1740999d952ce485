/**
 * Wires Rowlock into a Spring Boot application. Every bean backs off when the application defines its own, and none is
 * of a type that would make Boot's own beans back off.
 *
 * <ul>
 *   <li>{@link dev.rowlock.queue.autoconfigure.RowlockSchemaAutoConfiguration}: which database, and its tables
 *   <li>{@link dev.rowlock.queue.autoconfigure.RowlockAutoConfiguration}: enqueue, operate, look, find listeners
 *   <li>{@link dev.rowlock.queue.autoconfigure.RowlockWorkerAutoConfiguration}: run jobs
 *   <li>{@link dev.rowlock.queue.autoconfigure.RowlockHealthAutoConfiguration} and
 *       {@link dev.rowlock.queue.autoconfigure.RowlockMetricsAutoConfiguration}: watch
 * </ul>
 */
@NullMarked
package dev.rowlock.queue.autoconfigure;

import org.jspecify.annotations.NullMarked;
