package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.internal.doctor.Check.Case;
import dev.rowlock.queue.internal.store.Schema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** What the clock of the database says, if it differs by more than this from the clock of this process. */
record ClockDifference(InstantSource clock, Duration tolerance) implements Look {

    @Override
    public String sql() {
        return """
                SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS database_millis
                """;
    }

    // The database looks at its clock at some time between: how long the round trip takes is no difference.
    @Override
    public List<Case> run(Connection connection, Schema schema) throws SQLException {
        Instant before = clock.instant();
        List<Case> rows = Look.sql(sql()).run(connection, schema);
        Instant after = clock.instant();
        Instant there = Instant.ofEpochMilli(Long.parseLong(rows.get(0).get("database_millis")));
        Duration ahead = there.isAfter(after) ? Duration.between(after, there) : Duration.ZERO;
        Duration behind = there.isBefore(before) ? Duration.between(there, before) : Duration.ZERO;
        if (ahead.plus(behind).compareTo(tolerance) <= 0) {
            return List.of();
        }
        return List.of(new Case(Map.of(
                "database",
                there.toString(),
                "millis_ahead",
                Long.toString(ahead.minus(behind).toMillis()))));
    }
}
