package dev.rowlock.queue.internal.enqueue;

/** What names a row of the table unique_key. */
public record TypedKey(String type, String key) {}
