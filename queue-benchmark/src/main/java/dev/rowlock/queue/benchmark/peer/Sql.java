package dev.rowlock.queue.benchmark.peer;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.LongStream;
import javax.sql.DataSource;

/** JDBC in few words. What fails here ends the benchmark. */
public final class Sql {

    /** What is done with a connection. */
    @FunctionalInterface
    public interface Call<T> {
        T on(Connection connection) throws SQLException;
    }

    private Sql() {}

    public static <T> T with(DataSource dataSource, Call<T> call) {
        try (Connection connection = dataSource.getConnection()) {
            return call.on(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Executes a script or a statement. */
    public static void execute(DataSource dataSource, String sql) {
        with(dataSource, connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    /** The only row's only column. */
    public static long number(DataSource dataSource, String sql) {
        return with(dataSource, connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    /** The only column of all rows. */
    public static long[] numbers(DataSource dataSource, String sql) {
        return with(dataSource, connection -> {
            LongStream.Builder numbers = LongStream.builder();
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    numbers.add(rows.getLong(1));
                }
            }
            return numbers.build().toArray();
        });
    }

    /** Whether a query finds anything. */
    public static boolean exists(DataSource dataSource, String query) {
        return number(dataSource, "SELECT count(*) FROM (" + query + " LIMIT 1) q") > 0;
    }
}
