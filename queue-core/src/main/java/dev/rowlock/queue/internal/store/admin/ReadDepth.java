package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the last measurement that some node made for all. */
public final class ReadDepth {

    private static final String SQL = """
            SELECT d.queue, d.state, d.jobs,
                   CASE WHEN d.oldest_at IS NOT NULL THEN date_part('epoch', greatest(last.measured_at - d.oldest_at, interval '0')) END,
                   date_part('epoch', greatest(statement_timestamp() - last.measured_at, interval '0'))
              FROM rowlock.depth d CROSS JOIN (SELECT max(measured_at) AS measured_at FROM rowlock.depth) AS last
             ORDER BY d.queue, d.state
            """;

    /**
     * One line of it.
     *
     * @param state a live room or {@code dead}
     * @param oldestSeconds how long the longest-waiting job had been runnable at the measurement; null where that says nothing
     * @param ageSeconds how old the measurement is
     */
    public record Depth(
            String queue, String state, long jobs, @Nullable Double oldestSeconds, double ageSeconds) {}

    private final Database database;
    private final String sql;

    public ReadDepth(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public List<Depth> run() {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql);
                    ResultSet rows = statement.executeQuery()) {
                List<Depth> lines = new ArrayList<>();
                while (rows.next()) {
                    double oldest = rows.getDouble(4);
                    Double oldestSeconds = rows.wasNull() ? null : oldest;
                    lines.add(new Depth(
                            rows.getString(1), rows.getString(2), rows.getLong(3), oldestSeconds, rows.getDouble(5)));
                }
                return lines;
            }
        });
    }
}
