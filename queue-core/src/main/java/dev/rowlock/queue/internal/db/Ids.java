package dev.rowlock.queue.internal.db;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads ids. */
public final class Ids {

    private Ids() {}

    public static List<Long> read(ResultSet rows) throws SQLException {
        List<Long> ids = new ArrayList<>();
        while (rows.next()) {
            ids.add(rows.getLong(1));
        }
        return ids;
    }

    /** Those that an insert returned. */
    public static long[] read(ResultSet rows, int expected) throws SQLException {
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
