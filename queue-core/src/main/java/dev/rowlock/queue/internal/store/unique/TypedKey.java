package dev.rowlock.queue.internal.store.unique;

/** What names a row of the table unique_key. */
public record TypedKey(String type, String key) {}
