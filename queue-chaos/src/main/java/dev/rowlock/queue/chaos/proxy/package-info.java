/** A TCP proxy that can hurt what passes through it. */
@NullMarked
package dev.rowlock.queue.chaos.proxy;

import org.jspecify.annotations.NullMarked;
