package dev.rowlock.queue.internal.db;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

/** Reads the tokens of the claims that a statement found. */
public final class Tokens {

    private Tokens() {}

    /** Reads the first column of all rows. */
    public static Set<Long> read(ResultSet rows) throws SQLException {
        return new HashSet<>(Ids.read(rows));
    }

    /** Reads one row: how many of those that were sent were found, and an array of them unless it is all. */
    public static Set<Long> readAggregate(ResultSet rows, long[] sent) throws SQLException {
        rows.next();
        long[] found = rows.getLong(1) == sent.length ? sent : Columns.numbers(rows, 2);
        Set<Long> tokens = new HashSet<>();
        if (found != null) {
            for (long token : found) {
                tokens.add(token);
            }
        }
        return tokens;
    }
}
