/** Removes rows that are no longer used, creates and drops the partitions of ended jobs, and measures tables. */
@NullMarked
package dev.rowlock.queue.internal.cleanup;

import org.jspecify.annotations.NullMarked;
