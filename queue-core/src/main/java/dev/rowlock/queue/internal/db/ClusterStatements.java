package dev.rowlock.queue.internal.db;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads what nodes have written down about themselves, the queues and the database. Joins the caller's transaction. */
public final class ClusterStatements {

    private static final String NODES = """
            SELECT id, name, queues, slots, started_at, lease_millis,
                   date_part('epoch', greatest(statement_timestamp() - heartbeat_at, interval '0')) AS silent_seconds
              FROM rowlock.node ORDER BY id
            """;

    private static final String DEPTHS = """
            SELECT d.queue, d.room, d.jobs,
                   CASE WHEN d.oldest_at IS NOT NULL THEN date_part('epoch', greatest(last.measured_at - d.oldest_at, interval '0')) END AS oldest,
                   date_part('epoch', greatest(statement_timestamp() - last.measured_at, interval '0')) AS age
              FROM rowlock.depth d CROSS JOIN (SELECT max(measured_at) AS measured_at FROM rowlock.depth) AS last
             ORDER BY d.queue, d.room
            """;

    private static final String FIGURES = """
            SELECT name, detail, value, date_part('epoch', greatest(statement_timestamp() - measured_at, interval '0')) AS age_seconds
              FROM rowlock.figure ORDER BY name, detail
            """;

    private static final String CLOCK = "SELECT clock_timestamp()";

    /**
     * One line of the last measurement of queues.
     *
     * @param room a live room or {@code dead}
     * @param oldestSeconds how long the longest-waiting job had been runnable at the measurement; null where that says nothing
     * @param ageSeconds how old the measurement is
     */
    public record Depth(
            String queue, String room, long jobs, @Nullable Double oldestSeconds, double ageSeconds) {

        static Depth of(ResultSet row) throws SQLException {
            return new Depth(
                    row.getString("queue"),
                    row.getString("room"),
                    row.getLong("jobs"),
                    row.getObject("oldest", Double.class),
                    row.getDouble("age"));
        }
    }

    private final Database database;

    public ClusterStatements(Database database) {
        this.database = database;
    }

    /** All nodes, whether they beat or not. There are few. */
    public <T> List<T> nodes(Row<T> row) {
        return all(NODES, row);
    }

    /** The last measurement of queues that some node made for all. */
    public List<Depth> depths() {
        return all(DEPTHS, Depth::of);
    }

    /** The last measurement of the database that some node made for all. */
    public <T> List<T> figures(Row<T> row) {
        return all(FIGURES, row);
    }

    private <T> List<T> all(String sql, Row<T> row) {
        return database.joined(
                connection -> ColdStatement.on(connection, database.sql(sql)).list(row));
    }

    /** How far the database's clock is ahead of this one. The database looks at it at some time during the round trip: that much is no difference. */
    public Duration ahead(InstantSource clock) {
        return database.joined(connection -> {
            Instant before = clock.instant();
            Instant there =
                    ColdStatement.on(connection, CLOCK).only(row -> Objects.requireNonNull(Columns.instant(row, 1)));
            Instant after = clock.instant();
            if (there.isAfter(after)) {
                return Duration.between(after, there);
            }
            return there.isBefore(before) ? Duration.between(before, there) : Duration.ZERO;
        });
    }
}
