/** The dashboard in applications, over HTTP and in a browser. */
@NullMarked
package dev.rowlock.queue.dashboard;

import org.jspecify.annotations.NullMarked;
