/** The pages in a browser, a class for each: all of them look at one application, which the {@link dev.rowlock.queue.dashboard.page.Fixture} has filled. */
@NullMarked
package dev.rowlock.queue.dashboard.page;

import org.jspecify.annotations.NullMarked;
