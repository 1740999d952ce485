/**
 * Looks for jobs by any condition, within limits of time and of how many look at once; counts and groups them; explains why a job waits or
 * how it ended. A {@link dev.rowlock.queue.internal.search.FilterConditions.RoomCondition} is a filter as SQL, for one room; searches and bulk actions use the
 * same.
 *
 * <p><b>A new criterion</b> is a component of {@link dev.rowlock.queue.search.JobFilter}, null where it is not asked for, with the method that sets it, which refuses values
 * that no job can have, and one {@code add} in {@link dev.rowlock.queue.internal.search.FilterConditions}: all searches, counts, groups and bulk actions know it
 * then, and the stored filters of bulk actions hold it. Its column must be in each room that {@link dev.rowlock.queue.internal.search.SearchedRoom}
 * lists; where only some rooms have it, {@code mayHold} says which, as for nodes and times. {@code JobFilterTest} shows what it accepts, and
 * {@code JobSearchFilterTest} finds jobs by it in each room. What people use it by: {@code Filters} and {@code pages/jobs.js} of the dashboard, and a row in
 * {@code docs/search.md}.
 */
@NullMarked
package dev.rowlock.queue.internal.search;

import org.jspecify.annotations.NullMarked;
