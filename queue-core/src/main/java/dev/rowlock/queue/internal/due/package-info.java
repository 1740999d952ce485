/** Moves jobs to ready when their time has come. */
@NullMarked
package dev.rowlock.queue.internal.due;

import org.jspecify.annotations.NullMarked;
