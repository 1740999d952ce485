/** How values read in log lines and messages: as people write them in configuration; and how many such lines there are. Everything may use it. */
@NullMarked
package dev.rowlock.queue.internal.text;

import org.jspecify.annotations.NullMarked;
