/** What the page gets to see: the shapes of its JSON, with what the application hides taken out. */
@NullMarked
package dev.rowlock.queue.dashboard.api.view;

import org.jspecify.annotations.NullMarked;
