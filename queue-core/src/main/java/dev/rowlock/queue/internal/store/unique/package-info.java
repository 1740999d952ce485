/** Statements for unique keys that do more than keep a job: what each request does to the job that holds its key. */
@NullMarked
package dev.rowlock.queue.internal.store.unique;

import org.jspecify.annotations.NullMarked;
