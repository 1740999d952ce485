/** Statements that write what came of a claimed job. Each names id and token, and says which claims it found. */
@NullMarked
package dev.rowlock.queue.internal.store.outcome;

import org.jspecify.annotations.NullMarked;
