package dev.rowlock.queue.internal.db;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Lists of values as the arrays that {@code unnest} takes, and columns that may be null. */
public final class Columns {

    public static final double MICROS_PER_SECOND = 1e6;

    private Columns() {}

    /** The microseconds of an epoch of PostgreSQL's {@code date_part}: exact until the year 2106. */
    public static long micros(double epochSeconds) {
        return Math.round(epochSeconds * MICROS_PER_SECOND);
    }

    public static <T> long[] longs(List<T> rows, ToLongFunction<T> column) {
        return rows.stream().mapToLong(column).toArray();
    }

    public static <T> Short[] shorts(List<T> rows, ToIntFunction<T> column) {
        return rows.stream().map(row -> (short) column.applyAsInt(row)).toArray(Short[]::new);
    }

    public static <T> boolean[] flags(List<T> rows, Predicate<T> column) {
        boolean[] values = new boolean[rows.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = column.test(rows.get(i));
        }
        return values;
    }

    public static <T> @Nullable Short[] nullableShorts(List<T> rows, Function<T, @Nullable Integer> column) {
        @Nullable Short[] values = new Short[rows.size()];
        for (int i = 0; i < values.length; i++) {
            Integer value = column.apply(rows.get(i));
            values[i] = value == null ? null : value.shortValue();
        }
        return values;
    }

    public static <T> @Nullable Long[] millis(List<T> rows, Function<T, @Nullable Duration> column) {
        @Nullable Long[] values = new Long[rows.size()];
        for (int i = 0; i < values.length; i++) {
            Duration value = column.apply(rows.get(i));
            values[i] = value == null ? null : value.toMillis();
        }
        return values;
    }

    public static <T> @Nullable String[] texts(List<T> rows, Function<T, @Nullable String> column) {
        @Nullable String[] values = new String[rows.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = column.apply(rows.get(i));
        }
        return values;
    }

    /** Instants as ISO texts, for a parameter that is cast to {@code timestamptz[]}. */
    public static <T> @Nullable String[] instants(List<T> rows, Function<T, @Nullable Instant> column) {
        return texts(rows, row -> {
            Instant value = column.apply(row);
            return value == null ? null : value.toString();
        });
    }

    /** Empty for null. */
    public static List<Long> longList(ResultSet row, int column) throws SQLException {
        Array values = row.getArray(column);
        return values == null ? List.of() : List.of((Long[]) values.getArray());
    }

    /** Empty for null. */
    public static List<String> textList(ResultSet row, int column) throws SQLException {
        Array values = row.getArray(column);
        return values == null ? List.of() : List.of((String[]) values.getArray());
    }

    public static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }

    public static @Nullable Integer integer(ResultSet row, int column) throws SQLException {
        int value = row.getInt(column);
        return row.wasNull() ? null : value;
    }

    public static @Nullable Long number(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    public static @Nullable Duration duration(ResultSet row, int column) throws SQLException {
        Long value = number(row, column);
        return value == null ? null : Duration.ofMillis(value);
    }

    /** Tokens of claims. Reads one row: how many of those that were sent were found, and an array of them unless it is all. */
    public static Set<Long> tokens(ResultSet row, long[] sent) throws SQLException {
        row.next();
        return row.getLong(1) == sent.length
                ? LongStream.of(sent).boxed().collect(Collectors.toSet())
                : Set.copyOf(longList(row, 2));
    }
}
