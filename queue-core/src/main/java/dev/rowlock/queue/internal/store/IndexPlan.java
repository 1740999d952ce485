package dev.rowlock.queue.internal.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Pins the plans of the hot statements to index scans and nested loops.
 *
 * <p>Live rooms are empty one minute and hold millions the next, so statistics are always wrong, and a plan that was
 * cached for an empty table would scan a full one. With these settings every plan, custom or generic, made at whatever
 * moment, is the one that is right for a full table. They last for the statement's own transaction only, and travel in
 * the same round trip: the driver sends both statements before it waits. Never use it inside a caller's transaction,
 * where the settings would outlive the statement.
 */
final class IndexPlan {

    /** Goes before the statement's text. */
    static final String PREFIX = """
            SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
                   set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
                   set_config('enable_sort', 'off', true);
            """;

    private IndexPlan() {}

    /** Executes prefix and statement, and returns the statement's rows. */
    static ResultSet query(PreparedStatement statement) throws SQLException {
        statement.execute();
        if (!statement.getMoreResults()) {
            throw new SQLException("expected rows after the plan settings");
        }
        return statement.getResultSet();
    }
}
