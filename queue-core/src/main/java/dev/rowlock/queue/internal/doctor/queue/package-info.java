/** Checks of the doctor about Rowlock itself: its nodes, jobs, chores and tables. */
@NullMarked
package dev.rowlock.queue.internal.doctor.queue;

import org.jspecify.annotations.NullMarked;
