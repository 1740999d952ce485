@NullMarked
package dev.rowlock.queue.benchmark;

import org.jspecify.annotations.NullMarked;
