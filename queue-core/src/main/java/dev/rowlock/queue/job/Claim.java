package dev.rowlock.queue.job;

/**
 * The right to decide what becomes of a job: its id, and the token of the claim that took it.
 *
 * <p>Tokens come from one sequence and only grow. Every statement that changes a claimed job names both; when the
 * database changes no row, the claim was lost, and a later claim may own the job. {@code attempt} would not do
 * as a fence: snoozing, releasing and redriving use its values again.
 */
public record Claim(long jobId, long token) {}
