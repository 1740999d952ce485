/** What is done to the processes of a run. */
@NullMarked
package dev.rowlock.queue.chaos.fault;

import org.jspecify.annotations.NullMarked;
