/** Instruments: counters, latencies, processor time. */
@NullMarked
package dev.rowlock.queue.benchmark.measure;

import org.jspecify.annotations.NullMarked;
