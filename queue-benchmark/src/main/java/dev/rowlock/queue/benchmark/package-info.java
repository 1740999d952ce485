/** Measures Rowlock beside what people would use instead: {@code make bench}. */
@NullMarked
package dev.rowlock.queue.benchmark;

import org.jspecify.annotations.NullMarked;
