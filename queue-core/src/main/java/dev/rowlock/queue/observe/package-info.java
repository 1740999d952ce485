/**
 * Meters, by Micrometer: what this node does, and how deep the queues are.
 *
 * <p>Depth is measured by one node for all (the janitor's chore), into a small table; every node exports that snapshot.
 * No scrape counts rows.
 */
@NullMarked
package dev.rowlock.queue.observe;

import org.jspecify.annotations.NullMarked;
