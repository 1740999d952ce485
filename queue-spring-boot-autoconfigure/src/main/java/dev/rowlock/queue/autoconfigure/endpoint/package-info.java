/** The actuator endpoint {@code rowlock}. */
@NullMarked
package dev.rowlock.queue.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
