/** Statements of checkpoints, by the table {@code checkpoint}. */
@NullMarked
package dev.rowlock.queue.internal.store.checkpoint;

import org.jspecify.annotations.NullMarked;
