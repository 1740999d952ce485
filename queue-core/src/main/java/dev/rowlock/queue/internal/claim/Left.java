package dev.rowlock.queue.internal.claim;

import java.util.List;

/** What of a queue is left to other nodes: the jobs of some types, or all. */
record Left(List<String> types, boolean all) {

    static final Left NOTHING = new Left(List.of(), false);
}
