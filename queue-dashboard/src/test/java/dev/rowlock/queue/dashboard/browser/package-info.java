/** A real browser, steered by tests. */
@NullMarked
package dev.rowlock.queue.dashboard.browser;

import org.jspecify.annotations.NullMarked;
