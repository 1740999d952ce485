package dev.rowlock.queue.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something that a node does again and again, such as rescue or retention. Some chores are done by one node for all: for the others a success means
 * that they have found it done.
 *
 * @param sinceSuccess how long ago it succeeded on this node; null: not since the node started
 * @param failing whether its last try failed
 */
public record ChoreStatus(String name, @Nullable Duration sinceSuccess, boolean failing) {}
