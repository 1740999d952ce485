/** Queues of nothing but SQL: the floor under Rowlock, and what articles on the subject begin with. */
@NullMarked
package dev.rowlock.queue.benchmark.peer.sql;

import org.jspecify.annotations.NullMarked;
