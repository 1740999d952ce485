package dev.rowlock.queue.search;

import java.time.Instant;

/**
 * A line that a handler has written to the log of its job.
 *
 * @param at when, by the database's clock
 * @param attempt in which attempt
 * @param token of the claim that the handler had, which it may have lost meanwhile: tokens grow
 */
public record LogLine(Instant at, int attempt, long token, String text) {}
