/** Producers, and what they ask the handlers to do. */
@NullMarked
package dev.rowlock.queue.chaos.load;

import org.jspecify.annotations.NullMarked;
