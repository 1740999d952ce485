/**
 * Finds {@link dev.rowlock.queue.JobListener} methods among the beans of an application context, and runs the worker
 * node for as long as the context does.
 *
 * <p>{@link dev.rowlock.queue.spring.JobListenerScanner} looks once, when all singletons exist, and turns each method
 * into a {@link dev.rowlock.queue.spi.ListenerDefinition} in the {@link dev.rowlock.queue.spring.JobListenerRegistry}.
 * Jobs that are enqueued before then find their queue by the classes of the beans that are declared.
 * Afterwards {@link dev.rowlock.queue.spring.JobListenerContainer} starts last and stops first. Whatever cannot work
 * stops the start, and says which method of which bean it is and what to do.
 */
@NullMarked
package dev.rowlock.queue.spring;

import org.jspecify.annotations.NullMarked;
