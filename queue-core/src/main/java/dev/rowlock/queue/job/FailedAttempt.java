package dev.rowlock.queue.job;

import java.time.Instant;

/**
 * One entry of a job's error history.
 *
 * @param attempt which attempt failed
 * @param at when it was recorded, on the database's clock
 * @param type the exception's class name, or a word such as {@code timeout}
 */
public record FailedAttempt(int attempt, Instant at, String type, String message, String trace) {}
