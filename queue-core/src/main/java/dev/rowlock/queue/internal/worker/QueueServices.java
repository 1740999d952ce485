package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.spi.JobObserver;

/** What the queues of a node share. */
record QueueServices(
        Attempts attempts, Recorder recorder, Suspects suspects, JobObserver observer, ClaimBudget budget) {}
