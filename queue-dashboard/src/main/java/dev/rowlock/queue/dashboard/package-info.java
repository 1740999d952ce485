/**
 * The dashboard: looks at jobs and steers them, inside the application, by its own web server.
 *
 * <p>A request goes this way: {@link dev.rowlock.queue.dashboard.web} mounts the dashboard, asks who the user is, refuses requests of other
 * sites, and sets headers. It serves the page and its scripts, or finds the operation in the one table of {@link
 * dev.rowlock.queue.dashboard.api.Operations}, which says the level that each of them needs. {@link dev.rowlock.queue.dashboard.live} sends what changes.
 *
 * <p>Everything that it knows and does goes through the public API of {@code rowlock-core}, so an application could build the same.
 */
@NullMarked
package dev.rowlock.queue.dashboard;

import org.jspecify.annotations.NullMarked;
