/** Each attempt has the outcome that it earned, recorded once, under its own claim. */
@NullMarked
package dev.rowlock.queue.chaos.law.outcome;

import org.jspecify.annotations.NullMarked;
