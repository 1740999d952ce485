/** Libraries of Node.js, whose workers are child processes: Graphile Worker, pg-boss. */
@NullMarked
package dev.rowlock.queue.benchmark.peer.nodejs;

import org.jspecify.annotations.NullMarked;
