package dev.rowlock.queue.internal.db;

/** How the calling thread stands to a transaction, as far as writes to Rowlock's DataSource are concerned. */
public enum TransactionStanding {

    /** In no transaction: a write is a transaction of its own. */
    OUTSIDE,

    /** In an open transaction on Rowlock's DataSource: a write becomes part of it. */
    INSIDE,

    /**
     * In a callback after a transaction's end, where Spring still shows it as active: nobody commits what is written to
     * its connection now. A write is a transaction of its own.
     */
    AFTER,

    /**
     * In a callback after another transaction's end, within an open one on Rowlock's DataSource: a write becomes part of
     * it, but nobody can be told of its end.
     */
    AROUND,

    /** In an open transaction that does not reach Rowlock's DataSource: a write could not commit together with it. */
    ELSEWHERE;

    /** Whether a write becomes part of the caller's transaction. */
    public boolean joins() {
        return this == INSIDE || this == AROUND;
    }
}
