/** What keeps an application from starting, and what to do about it. Not for applications to use. */
@NullMarked
package dev.rowlock.queue.autoconfigure.failure;

import org.jspecify.annotations.NullMarked;
