/** Who may do what on the dashboard: decided by the application, for each request. */
@NullMarked
package dev.rowlock.queue.dashboard.access;

import org.jspecify.annotations.NullMarked;
