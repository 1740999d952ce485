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
    /** Runs as many jobs of a key at once, over all nodes, as a rule says. */
    LIMITS,
    /** Lends idle places to keys beyond their limit. */
    BURSTS,
    /** Runs one job of a key at once, over all nodes. */
    SERIAL,
    /** Runs the jobs of a key one after the other, in the order of their enqueues. */
    ORDER,
    /** Limits how many jobs of a key begin in a time, over all nodes. */
    RATES,
    /** Asks the application which jobs come next. */
    POLICIES,
    /** Lets keys take turns, by weight. */
    FAIR,
    /** Runs jobs after others. */
    WORKFLOWS,
    /** Counts the jobs of a batch. */
    BATCHES,
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
