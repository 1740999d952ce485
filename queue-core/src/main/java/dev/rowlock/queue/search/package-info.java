/** What {@link dev.rowlock.queue.JobSearch} is asked and what it answers; filters also say which jobs a bulk action is for. */
@NullMarked
package dev.rowlock.queue.search;

import org.jspecify.annotations.NullMarked;
