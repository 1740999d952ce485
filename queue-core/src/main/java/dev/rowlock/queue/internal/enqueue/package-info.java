/** What surrounds a call that enqueues jobs. Without interceptors it is not entered. */
@NullMarked
package dev.rowlock.queue.internal.enqueue;

import org.jspecify.annotations.NullMarked;
