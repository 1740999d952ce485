/**
 * Runs claimed jobs: holds them for a thread, calls their handlers, stops them, and turns whatever a handler does into one
 * outcome.
 */
@NullMarked
package dev.rowlock.queue.internal.run;

import org.jspecify.annotations.NullMarked;
