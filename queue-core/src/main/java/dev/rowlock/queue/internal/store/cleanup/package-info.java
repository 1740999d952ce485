/** Statements that remove what nobody needs any more, and count what is there. */
@NullMarked
package dev.rowlock.queue.internal.store.cleanup;

import org.jspecify.annotations.NullMarked;
