/** Keeps the lease of this node by heartbeats, and watches the heartbeats of the others. */
@NullMarked
package dev.rowlock.queue.internal.lease;

import org.jspecify.annotations.NullMarked;
