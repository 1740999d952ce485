/** A real browser, steered by tests. */
@NullMarked
package dev.rowlock.queue.test.browser;

import org.jspecify.annotations.NullMarked;
