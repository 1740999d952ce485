package dev.rowlock.queue.result;

import org.jspecify.annotations.Nullable;

/**
 * How far the handler of a running job is, as it said last.
 *
 * @param percent 0 to 100
 * @param note a few words for people; null if it said none
 */
public record JobProgress(int percent, @Nullable String note) {}
