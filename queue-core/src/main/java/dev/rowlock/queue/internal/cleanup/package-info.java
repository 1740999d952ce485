/** Removes what nobody needs any more, and makes and drops the partitions of ended jobs. */
@NullMarked
package dev.rowlock.queue.internal.cleanup;

import org.jspecify.annotations.NullMarked;
