/** Statements about nodes: their leases, the chores that they share, and the jobs of those that are gone. */
@NullMarked
package dev.rowlock.queue.internal.store.node;

import org.jspecify.annotations.NullMarked;
