package dev.rowlock.queue.internal.worker;

/** What the queues of a node share. */
record QueueServices(Attempts attempts, Recorder recorder, Suspects suspects, Observers observer, ClaimBudget budget) {}
