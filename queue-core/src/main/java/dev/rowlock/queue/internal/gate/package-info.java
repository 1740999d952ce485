/** What the front door of limits does. */
@NullMarked
package dev.rowlock.queue.internal.gate;

import org.jspecify.annotations.NullMarked;
