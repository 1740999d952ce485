package dev.rowlock.queue.internal.store.outcome;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What became of claimed jobs that did not end well, by token.
 *
 * @param held their claims were held; the others' were lost
 * @param cancelled of those held, they ended as cancelled instead, because somebody had asked for that
 * @param ranks of those that will run again
 */
public record MovedJobs(Set<Long> held, Set<Long> cancelled, Map<Long, Integer> ranks) {

    /** Reads rows of token, whether cancelled: of jobs that do not run again. */
    static MovedJobs readEnded(ResultSet rows) throws SQLException {
        Set<Long> cancelled = new HashSet<>();
        Set<Long> held = new HashSet<>();
        while (rows.next()) {
            long token = rows.getLong(1);
            held.add(token);
            if (rows.getBoolean(2)) {
                cancelled.add(token);
            }
        }
        return new MovedJobs(held, cancelled, Map.of());
    }

    /** Reads rows of token, whether cancelled, rank. */
    static MovedJobs read(ResultSet rows, int sent) throws SQLException {
        Set<Long> cancelled = new HashSet<>();
        Map<Long, Integer> ranks = new HashMap<>(2 * sent);
        Set<Long> held = new HashSet<>(2 * sent);
        while (rows.next()) {
            long token = rows.getLong(1);
            held.add(token);
            if (rows.getBoolean(2)) {
                cancelled.add(token);
            } else {
                ranks.put(token, rows.getInt(3));
            }
        }
        return new MovedJobs(held, cancelled, ranks);
    }
}
