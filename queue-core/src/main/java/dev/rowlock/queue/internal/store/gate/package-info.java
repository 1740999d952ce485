/** Statements about gates: what a queue, and a key in it, may run at once. The claims through them are in {@code claim}. */
@NullMarked
package dev.rowlock.queue.internal.store.gate;

import org.jspecify.annotations.NullMarked;
