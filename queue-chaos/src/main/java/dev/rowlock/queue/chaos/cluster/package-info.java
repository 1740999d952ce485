/** The processes of a run: one database, several workers, their proxies. */
@NullMarked
package dev.rowlock.queue.chaos.cluster;

import org.jspecify.annotations.NullMarked;
