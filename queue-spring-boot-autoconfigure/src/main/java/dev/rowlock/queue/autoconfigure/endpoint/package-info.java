/** The actuator endpoints {@code rowlock} and {@code rowlockdoctor}. */
@NullMarked
package dev.rowlock.queue.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
