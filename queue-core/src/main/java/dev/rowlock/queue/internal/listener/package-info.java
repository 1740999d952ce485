/** The listeners of a queue, from wherever they come. Annotated ones are found in {@code dev.rowlock.queue.spring}. */
@NullMarked
package dev.rowlock.queue.internal.listener;

import org.jspecify.annotations.NullMarked;
