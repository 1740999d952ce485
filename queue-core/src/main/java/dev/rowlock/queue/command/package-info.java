/** Commands for a shell. */
@NullMarked
package dev.rowlock.queue.command;

import org.jspecify.annotations.NullMarked;
