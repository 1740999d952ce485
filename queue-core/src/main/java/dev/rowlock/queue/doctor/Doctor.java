package dev.rowlock.queue.doctor;

import java.util.List;

/**
 * Examines the database for known causes that hold up a queue. It only looks, and repairs nothing. Thread-safe.
 *
 * <p>Each check has a read-only transaction of its own, and the server stops it after two seconds, or when it has waited half a
 * second for a lock. A check that fails does not stop the others. An examination takes one connection of the pool at a time, or
 * one beside it where the pool gives none, and belongs to no transaction of the caller. A crash leaves nothing behind.
 *
 * <p>One examination runs at a time in a process. Who asks meanwhile waits for its findings, of which some may be older than the call.
 */
public interface Doctor {

    /**
     * Whether jobs run as they should, over all nodes: the first question of whoever looks. Costs two short statements that read what nodes have
     * measured and look at late queues only; an answer is given again for ten seconds. Never throws: where the database does not
     * answer, the verdict is BLIND.
     */
    Verdict verdict();

    /** Runs all checks now, one after the other, and returns one finding for each, always in the same order. */
    List<Finding> examine();
}
