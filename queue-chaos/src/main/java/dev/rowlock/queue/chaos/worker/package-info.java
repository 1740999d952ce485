/** A worker process: a node without Spring, and the handlers of the load. */
@NullMarked
package dev.rowlock.queue.chaos.worker;

import org.jspecify.annotations.NullMarked;
