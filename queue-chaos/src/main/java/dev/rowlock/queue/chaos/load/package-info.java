/** Producers: what they ask the handlers to do, and what they are told. */
@NullMarked
package dev.rowlock.queue.chaos.load;

import org.jspecify.annotations.NullMarked;
