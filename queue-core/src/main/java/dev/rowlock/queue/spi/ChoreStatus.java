package dev.rowlock.queue.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something that a node does again and again, such as rescue or retention. Some chores are done by one node for all: for the others a success means
 * that they have found it done.
 *
 * @param sinceSuccess how long ago it succeeded on this node; null: not since the node started
 * @param failing whether its last try failed
 * @param behind of a chore that walks through tables a stretch at a time: how long ago the walk began that it last completed on this node, or the node
 *     was started if that is later. All that there was to find by then has been found. Null: another kind of chore
 */
public record ChoreStatus(
        String name,
        @Nullable Duration sinceSuccess,
        boolean failing,
        @Nullable Duration behind) {}
