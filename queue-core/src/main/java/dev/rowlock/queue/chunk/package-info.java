/** What listeners see that run many jobs in one call. */
@NullMarked
package dev.rowlock.queue.chunk;

import org.jspecify.annotations.NullMarked;
