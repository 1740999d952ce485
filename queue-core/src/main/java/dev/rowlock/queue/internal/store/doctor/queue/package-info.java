/** Statements that show what is wrong with nodes, jobs, chores and tables of Rowlock itself. */
@NullMarked
package dev.rowlock.queue.internal.store.doctor.queue;

import org.jspecify.annotations.NullMarked;
