/**
 * One node in this process: input that attacks (each piece gets a clear error or travels safely, and never harms its
 * neighbours), and transactions within transactions.
 */
@NullMarked
package dev.rowlock.queue.chaos.node;

import org.jspecify.annotations.NullMarked;
