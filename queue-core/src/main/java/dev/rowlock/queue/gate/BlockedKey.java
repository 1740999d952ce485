package dev.rowlock.queue.gate;

import dev.rowlock.queue.job.JobState;
import java.time.Instant;

/**
 * A key of a queue in order whose jobs wait for one that has begun and not ended.
 *
 * @param jobId the job that holds them up. To let them go on without it: cancel it if it waits, {@linkplain QueueLimits#skip
 *     skip} or discard it if it is dead
 * @param state waiting: it is tried again; otherwise it is dead or quarantined
 * @param at waiting: when it is tried again; otherwise when it died
 * @param jobs how many jobs of its key are ready and wait for it; counted up to 1,000
 */
public record BlockedKey(String queue, String key, long jobId, JobState state, Instant at, long jobs) {}
