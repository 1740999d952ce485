/** Keeps a node alive in the eyes of the others, and watches whether they are. */
@NullMarked
package dev.rowlock.queue.internal.lease;

import org.jspecify.annotations.NullMarked;
