package dev.rowlock.queue.internal.db;

import java.sql.SQLNonTransientConnectionException;

/** A connection leads to a server whose place another one has taken. */
final class OldPrimaryException extends SQLNonTransientConnectionException {

    private static final long serialVersionUID = 1L;

    /** SQLSTATE: the server rejects the connection. */
    private static final String REJECTED = "08004";

    OldPrimaryException(int timeline, int newest) {
        super(
                "this server is an old primary: it is on timeline %d, and this process has seen timeline %d of the same database. Nothing is enqueued, claimed or beaten there. Stop the old primary, or take it out of the URL; if timeline %d is gone for good, restart this process"
                        .formatted(timeline, newest, newest),
                REJECTED);
    }
}
