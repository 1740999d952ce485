package dev.rowlock.queue.benchmark.peer;

/** What a workload may need of a peer beside running jobs. */
public enum Ability {
    /** Enqueues jobs from this process, one per transaction. */
    SINGLE,
    /** Enqueues many jobs from this process in one transaction. */
    BULK,
    /** Enqueues a stream of any length in one transaction, without holding it in memory. */
    STREAM,
    /** Jobs with a higher priority run first. */
    PRIORITY,
    /** Jobs can be due later. */
    DELAY,
    /** Enqueues jobs by itself at times that recur. */
    RECURRING,
    /** Runs jobs that write rows of their own. */
    EFFECTS,
    /** Runs many jobs in one call, and one transaction. */
    CHUNKS,
    /** Limits how many jobs of a key run at once. */
    KEYS,
    /** Runs jobs after others, and counts those of a batch. */
    WORKFLOWS,
    /** Keeps finished jobs for a while. */
    RETENTION,
    /** Finds jobs by itself while it runs, rather than in a loop over what is there. */
    LISTENS,
    /** Runs as many jobs at once as asked for. */
    WORKERS,
    /** Several nodes can share one queue in one process. */
    NODES,
    /** Two nodes can share one queue, in one process or in one each. */
    PAIR,
    /** A node can listen to many queues. */
    QUEUES,
    /** Its workers run in a process of their own, always. */
    CHILD
}
