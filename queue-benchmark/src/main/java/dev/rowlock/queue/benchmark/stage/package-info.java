/** Where workloads run, and what several of them do: fill a database, enqueue at a pace or from many threads, hold a snapshot. */
@NullMarked
package dev.rowlock.queue.benchmark.stage;

import org.jspecify.annotations.NullMarked;
