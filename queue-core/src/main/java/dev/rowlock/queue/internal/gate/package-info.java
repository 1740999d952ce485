/**
 * Limits of queues and of keys in them, as operators set and applications declare them: how many jobs run at once, how many begin in a time, in which order.
 * The claims through them are in {@code claim}.
 */
@NullMarked
package dev.rowlock.queue.internal.gate;

import org.jspecify.annotations.NullMarked;
