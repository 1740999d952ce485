/** Statements about policies of applications. */
@NullMarked
package dev.rowlock.queue.internal.store.policy;

import org.jspecify.annotations.NullMarked;
