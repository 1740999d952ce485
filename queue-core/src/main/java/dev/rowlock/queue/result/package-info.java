/** Results of jobs: waiting for a job's end, and what it returned. */
@NullMarked
package dev.rowlock.queue.result;

import org.jspecify.annotations.NullMarked;
