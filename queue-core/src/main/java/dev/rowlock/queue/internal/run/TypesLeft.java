package dev.rowlock.queue.internal.run;

import java.util.Set;

/**
 * The types whose jobs a queue of this node does not begin.
 *
 * @param ready the node does not claim them, and those that it has go back to ready
 * @param aside nobody expects them in this queue; those that are claimed are put aside
 */
public record TypesLeft(Set<String> ready, Set<String> aside) {

    static final TypesLeft NONE = new TypesLeft(Set.of(), Set.of());
}
