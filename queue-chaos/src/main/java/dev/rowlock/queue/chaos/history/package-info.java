/** What happened, and whether it was allowed to. */
@NullMarked
package dev.rowlock.queue.chaos.history;

import org.jspecify.annotations.NullMarked;
