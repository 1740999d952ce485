/** Workflows and batches: jobs that run after other jobs. */
@NullMarked
package dev.rowlock.queue.workflow;

import org.jspecify.annotations.NullMarked;
