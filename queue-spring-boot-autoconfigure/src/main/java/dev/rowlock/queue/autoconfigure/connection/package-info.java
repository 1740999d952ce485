/** Connections beside the pool of the application: those that listen and beat, and those that make the tables. Not for applications to use. */
@NullMarked
package dev.rowlock.queue.autoconfigure.connection;

import org.jspecify.annotations.NullMarked;
