/** Statements of recurring jobs, by the table {@code schedule}. */
@NullMarked
package dev.rowlock.queue.internal.store.schedule;

import org.jspecify.annotations.NullMarked;
