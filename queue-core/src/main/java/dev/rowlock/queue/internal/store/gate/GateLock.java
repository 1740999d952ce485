package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.internal.store.Schema;

/**
 * What gates are locked by: advisory locks of a transaction. They are the database's, so the schema tells ours from those of another Rowlock. With the
 * number 0, this is the lock of the queue; with its key behind it, that of a key.
 */
public final class GateLock {

    private GateLock() {}

    /** With a number: a share of the server's table of locks, for a claim that locks many keys of whatever queue. */
    public static String ofMany(Schema schema) {
        return "rowlock keys " + schema.name();
    }

    public static String name(Schema schema, String queue) {
        return "rowlock gate " + schema.name() + ' ' + queue + ' ';
    }
}
