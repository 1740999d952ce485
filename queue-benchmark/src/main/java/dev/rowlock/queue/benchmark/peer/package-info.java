/** The job queues that are compared, behind one small interface. */
@NullMarked
package dev.rowlock.queue.benchmark.peer;

import org.jspecify.annotations.NullMarked;
