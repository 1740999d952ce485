package dev.rowlock.queue.internal.run;

import java.util.Set;

/**
 * The types whose jobs a queue of this node skips.
 *
 * @param ready the node does not claim them, and those that it has go back to ready
 * @param aside paused types; a job of one of them that this queue has claimed though it does not serve the type is put aside
 */
public record SkippedTypes(Set<String> ready, Set<String> aside) {

    static final SkippedTypes NONE = new SkippedTypes(Set.of(), Set.of());
}
