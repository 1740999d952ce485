/** The examples of README and the page about tests: their text is part of these classes. */
@NullMarked
package dev.rowlock.queue.test.examples;

import org.jspecify.annotations.NullMarked;
