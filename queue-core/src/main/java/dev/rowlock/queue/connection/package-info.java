/**
 * For connections that a node opens outside the application's pool: see {@link
 * dev.rowlock.queue.RowlockBuilder#unpooled}.
 */
@NullMarked
package dev.rowlock.queue.connection;

import org.jspecify.annotations.NullMarked;
