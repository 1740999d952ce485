/** Statements that insert jobs. */
@NullMarked
package dev.rowlock.queue.internal.store.enqueue;

import org.jspecify.annotations.NullMarked;
