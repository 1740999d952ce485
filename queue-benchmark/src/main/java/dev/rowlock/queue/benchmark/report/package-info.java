/** Tables, figures and charts. */
@NullMarked
package dev.rowlock.queue.benchmark.report;

import org.jspecify.annotations.NullMarked;
