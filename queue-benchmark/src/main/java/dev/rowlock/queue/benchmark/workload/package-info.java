/** What is measured. A workload knows no peer: it asks for abilities. */
@NullMarked
package dev.rowlock.queue.benchmark.workload;

import org.jspecify.annotations.NullMarked;
