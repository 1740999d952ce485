/** What becomes of a batch of rows that fails as a whole: it gets smaller, and the rows that are to blame are found and left aside. */
@NullMarked
package dev.rowlock.queue.internal.store.batch;

import org.jspecify.annotations.NullMarked;
