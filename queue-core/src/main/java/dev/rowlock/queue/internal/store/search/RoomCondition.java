package dev.rowlock.queue.internal.store.search;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * What a filter asks of the rows of one room: SQL to stand behind {@code WHERE} or {@code AND}, written for the schema {@code
 * rowlock}, made of fixed texts. It names columns without a table, so the room must be the only table around it.
 * Prepare it by {@link dev.rowlock.queue.internal.store.UncachedPlan}: the plan depends on the values.
 *
 * @param sql a boolean expression that may stand beside {@code AND} as it is
 * @param values in the order of its question marks
 */
public record RoomCondition(Room room, String sql, List<Object> values) {

    /** Sets the values from this parameter on; returns the number of the next one. */
    public int bind(PreparedStatement statement, int first) throws SQLException {
        int next = first;
        for (Object value : values) {
            statement.setObject(next++, value);
        }
        return next;
    }
}
