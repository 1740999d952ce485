/** What a call of an operation brings, and how one is refused that brings something wrong. */
@NullMarked
package dev.rowlock.queue.dashboard.api.call;

import org.jspecify.annotations.NullMarked;
