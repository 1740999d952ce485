/**
 * Looks for jobs by any condition, within limits of time and of how many look at once; counts and groups them; explains why a job waits or how it ended. A {@link dev.rowlock.queue.internal.search.RoomCondition} is a filter
 * as SQL, for one room; searches and bulk actions use the same.
 */
@NullMarked
package dev.rowlock.queue.internal.search;

import org.jspecify.annotations.NullMarked;
