/** Statements of bulk actions and of the audit table. */
@NullMarked
package dev.rowlock.queue.internal.store.operate;

import org.jspecify.annotations.NullMarked;
