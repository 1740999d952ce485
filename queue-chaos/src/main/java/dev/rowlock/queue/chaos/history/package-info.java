/**
 * What happened in a run: the witnesses' records ({@link dev.rowlock.queue.chaos.history.Audit} reads them), put together
 * as one {@link dev.rowlock.queue.chaos.history.History}, and what can be told from it: claims, stretches of time, who was
 * busy. Whether it was allowed, {@code law} says.
 */
@NullMarked
package dev.rowlock.queue.chaos.history;

import org.jspecify.annotations.NullMarked;
