/** The listings of docs/tutorial.md: their text is part of these classes. */
@NullMarked
package dev.rowlock.queue.test.tutorial;

import org.jspecify.annotations.NullMarked;
