package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import java.sql.SQLException;
import java.util.Set;
import org.springframework.dao.DataAccessException;

/** What a failure to write outcomes says. */
enum WriteFailure {
    /** Somebody else has locked one of the rows. */
    LOCKED,

    /** One of the outcomes, or its job's row, cannot be written as it is. */
    OF_AN_ENTRY,

    /** Nothing can be written now, or so it seems: the connection, the server, its memory or disk, privileges, the tables. */
    FOR_NOW;

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /**
     * SQLSTATE classes by which the server refuses a value or a row: data exceptions, constraints, check options, limits, and
     * what triggers and functions raise.
     */
    private static final Set<String> REFUSALS = Set.of("21", "22", "23", "27", "38", "39", "44", "54", "P0");

    static WriteFailure of(Throwable thrown) {
        String state = sqlState(thrown);
        if (LOCK_NOT_AVAILABLE.equals(state)) {
            return LOCKED;
        }
        if (thrown instanceof DataAccessException access) {
            boolean refused = state.length() == 5 && REFUSALS.contains(state.substring(0, 2));
            return refused && !EnsureDonePartitions.missing(access) ? OF_AN_ENTRY : FOR_NOW;
        }
        // Not said by the database, but by a pool, a proxy or the machine: it proves nothing against an outcome.
        return FOR_NOW;
    }

    /** Whether the connection, the server's stop, or want of disk or memory is to blame for certain, or no server has said anything. */
    static boolean ofTheServer(Throwable thrown) {
        String state = sqlState(thrown);
        return state.isEmpty() || state.startsWith("08") || state.startsWith("53") || state.startsWith("57P");
    }

    /** Empty if there is none. */
    static String sqlState(Throwable thrown) {
        Throwable cause = thrown instanceof DataAccessException access ? access.getMostSpecificCause() : thrown;
        return cause instanceof SQLException sql && sql.getSQLState() != null ? sql.getSQLState() : "";
    }
}
