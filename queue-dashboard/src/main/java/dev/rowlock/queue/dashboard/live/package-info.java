/**
 * What changes, sent to all who look.
 *
 * <p>While somebody looks, one thread of the process asks the database once a second, and sends the answer to all viewers. Each round takes two statements at
 * most, however many viewers there are. When nobody looks, nothing is asked and the thread ends. A viewer who does not read fast
 * enough misses answers in between, and never makes others wait: of each kind only the newest one is kept for him.
 */
@NullMarked
package dev.rowlock.queue.dashboard.live;

import org.jspecify.annotations.NullMarked;
