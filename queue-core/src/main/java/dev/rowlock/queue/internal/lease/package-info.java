/**
 * Registers this node and keeps its lease by heartbeats, which also bring pauses; watches the heartbeats of the others, and
 * removes those that are gone. Gives back what a claim may have taken whose answer was lost.
 */
@NullMarked
package dev.rowlock.queue.internal.lease;

import org.jspecify.annotations.NullMarked;
