/**
 * A model of ownership: claim, lease, rescue, fencing and recorder, small enough to look at every state that can be
 * reached.
 */
@NullMarked
package dev.rowlock.queue.chaos.model;

import org.jspecify.annotations.NullMarked;
