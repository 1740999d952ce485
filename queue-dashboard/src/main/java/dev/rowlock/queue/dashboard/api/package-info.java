/** What the page asks and does: one table of operations over the public API of the queue, and their answers. */
@NullMarked
package dev.rowlock.queue.dashboard.api;

import org.jspecify.annotations.NullMarked;
