package dev.rowlock.queue;

import dev.rowlock.queue.job.JobState;

/** How many jobs of a queue are in a state. */
public record JobCount(String queue, JobState state, long jobs) {}
