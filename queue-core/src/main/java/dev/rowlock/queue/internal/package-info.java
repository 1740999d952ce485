/** Not API: everything below may change with any release. */
package dev.rowlock.queue.internal;
