/** Statements of workflows: what they are, which of their jobs have ended, and which steps may run because of that. */
@NullMarked
package dev.rowlock.queue.internal.store.workflow;

import org.jspecify.annotations.NullMarked;
