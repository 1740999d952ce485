/** Statements that move jobs from ready to running, and what only a claim needs. */
@NullMarked
package dev.rowlock.queue.internal.store.claim;

import org.jspecify.annotations.NullMarked;
