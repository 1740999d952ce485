/** One promise, one fault, one bar. */
@NullMarked
package dev.rowlock.queue.chaos.bars;

import org.jspecify.annotations.NullMarked;
