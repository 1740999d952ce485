/**
 * Keeps the lease of this node by heartbeats, watches the heartbeats of the others, and removes those that are gone.
 */
@NullMarked
package dev.rowlock.queue.internal.lease;

import org.jspecify.annotations.NullMarked;
