/**
 * Looks for jobs by any condition, within limits of time and of how many look at once; counts and groups them; explains why a job waits or
 * how it ended. A {@link dev.rowlock.queue.internal.search.FilterConditions.RoomCondition} is a filter as SQL, for one room; searches and bulk actions use the
 * same.
 *
 * <p><b>A new criterion</b> is a line of {@link dev.rowlock.queue.search.JobFilter.Criterion}, with its name and the rule that refuses values that no job
 * can have; the method of {@link dev.rowlock.queue.search.JobFilter} that sets it; and its SQL in {@link dev.rowlock.queue.internal.search.FilterConditions},
 * which does not compile without, in the order in which the database is to look at them: cheap ones first. All searches, counts, groups, bulk actions
 * with their stored filters, and addresses of the dashboard know it then. Its column must be in each room that {@link dev.rowlock.queue.internal.search.SearchedRoom} lists; where only some rooms have it, {@code mayHold} says which, as for
 * nodes. {@code JobFilterTest} shows what it accepts, and {@code JobSearchFilterTest} finds jobs by it in each room. People get a field in
 * {@code pages/jobs.js} of the dashboard, and a row in {@code docs/search.md}. The dashboard lets users who see no payloads search by what its class {@code Filters}
 * lists only: a criterion that tells nothing of what jobs carry is added there.
 */
@NullMarked
package dev.rowlock.queue.internal.search;

import org.jspecify.annotations.NullMarked;
