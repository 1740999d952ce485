package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;

/**
 * A job whose handler has been running for long.
 *
 * @param running for how long
 * @param handler its thread, which may run other jobs in the same call, and may have ended by now
 */
public record LongRun(ClaimedJob job, Duration running, Thread handler) {}
