/** Writes outcomes down, many at a time, and tells the observers once they are committed. Knows nothing of how jobs are run. */
@NullMarked
package dev.rowlock.queue.internal.record;

import org.jspecify.annotations.NullMarked;
