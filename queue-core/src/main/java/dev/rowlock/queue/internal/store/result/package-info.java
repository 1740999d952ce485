/** Statements of those who wait for jobs. */
@NullMarked
package dev.rowlock.queue.internal.store.result;

import org.jspecify.annotations.NullMarked;
