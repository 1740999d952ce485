/** How many jobs of a queue, and of a key in it, may run at once over all nodes. */
@NullMarked
package dev.rowlock.queue.gate;

import org.jspecify.annotations.NullMarked;
