/** Rowlock itself. */
@NullMarked
package dev.rowlock.queue.benchmark.peer.rowlock;

import org.jspecify.annotations.NullMarked;
