package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.internal.db.Schema;

/**
 * What gates are locked by: advisory locks of a transaction. They are the database's, so the schema tells ours from those of another Rowlock. With the
 * number 0, this is the lock of the queue; with its key behind it, that of a key.
 */
public final class GateLock {

    private GateLock() {}

    public static String name(Schema schema, String queue) {
        return prefix(schema) + queue + ' ';
    }

    /** Goes before a queue and a space. */
    static String prefix(Schema schema) {
        return "rowlock gate " + schema.name() + ' ';
    }
}
