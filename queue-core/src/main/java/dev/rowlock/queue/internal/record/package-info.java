/**
 * Writes down what came of claimed jobs, many at a time, and tells the observers once that is committed. Each statement names id
 * and token, and says which claims it found. Knows nothing of how jobs are run.
 */
@NullMarked
package dev.rowlock.queue.internal.record;

import org.jspecify.annotations.NullMarked;
