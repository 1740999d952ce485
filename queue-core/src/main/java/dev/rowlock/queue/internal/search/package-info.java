/**
 * Statements that look for jobs by any condition. A {@link dev.rowlock.queue.internal.search.RoomCondition} is a filter
 * as SQL, for one room; searches and bulk actions use the same.
 */
@NullMarked
package dev.rowlock.queue.internal.search;

import org.jspecify.annotations.NullMarked;
