/**
 * The front door: {@link dev.rowlock.queue.JobTemplate} enqueues, {@link dev.rowlock.queue.JobListener} marks the
 * methods that run jobs, {@link dev.rowlock.queue.JobAdmin} operates and {@link dev.rowlock.queue.JobSearch} looks.
 * {@link dev.rowlock.queue.Rowlock} puts them together.
 */
@NullMarked
package dev.rowlock.queue;

import org.jspecify.annotations.NullMarked;
