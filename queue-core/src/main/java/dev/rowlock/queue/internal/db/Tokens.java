package dev.rowlock.queue.internal.db;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Set;

/** The tokens of the claims that a statement found: a set over a sorted array, for it is made for every batch. */
public final class Tokens extends AbstractSet<Long> {

    private final long[] sorted;

    private Tokens(long[] sorted) {
        this.sorted = sorted;
    }

    /** Reads the first column of all rows; at most as many as were sent. */
    public static Set<Long> read(ResultSet rows, int sent) throws SQLException {
        long[] tokens = new long[sent];
        int count = 0;
        while (rows.next()) {
            tokens[count++] = rows.getLong(1);
        }
        return of(count == sent ? tokens : Arrays.copyOf(tokens, count));
    }

    /** Reads one row: how many of those that were sent were found, and an array of them unless it is all. Sorts what was sent. */
    public static Set<Long> readAggregate(ResultSet rows, long[] sent) throws SQLException {
        rows.next();
        long count = rows.getLong(1);
        if (count == sent.length) {
            return of(sent);
        }
        long[] found = Columns.numbers(rows, 2);
        return of(found == null ? new long[0] : found);
    }

    private static Tokens of(long[] tokens) {
        Arrays.sort(tokens);
        return new Tokens(tokens);
    }

    @Override
    public boolean contains(Object token) {
        return token instanceof Long value && Arrays.binarySearch(sorted, value) >= 0;
    }

    @Override
    public Iterator<Long> iterator() {
        return Arrays.stream(sorted).iterator();
    }

    @Override
    public int size() {
        return sorted.length;
    }
}
