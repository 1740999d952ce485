package dev.rowlock.queue.internal.store;

import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads the ids that an insert returned. */
final class Ids {

    private Ids() {}

    static long[] read(ResultSet rows, int expected) throws SQLException {
        long[] ids = new long[expected];
        int count = 0;
        while (rows.next()) {
            ids[count++] = rows.getLong(1);
        }
        if (count != expected) {
            throw new SQLException("%d rows inserted where %d were sent: does a trigger or rule stand on the table?"
                    .formatted(count, expected));
        }
        return ids;
    }
}
