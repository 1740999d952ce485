/** Rehearses a failover: a primary and its standby, nodes that know both, and books of what was acknowledged and lost. */
@NullMarked
package dev.rowlock.queue.chaos.failover;

import org.jspecify.annotations.NullMarked;
