/** All peers by name, and processes of their own for those that run in a JVM. */
@NullMarked
package dev.rowlock.queue.benchmark.registry;

import org.jspecify.annotations.NullMarked;
