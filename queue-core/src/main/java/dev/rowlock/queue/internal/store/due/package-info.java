/** Statements that move jobs from waiting to ready. */
@NullMarked
package dev.rowlock.queue.internal.store.due;

import org.jspecify.annotations.NullMarked;
