package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.job.JobOptions;

/**
 * A job that was asked for, and what its producer was told.
 *
 * @param id 0 where the producer never learnt it
 * @param type the job's type
 * @param way how it was enqueued, for people
 */
public record Told(long uid, long id, Fate fate, String type, Act act, int number, JobOptions options, String way) {}
