package dev.rowlock.queue.internal.store.schedule;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;

/** Pauses and resumes a recurring job. */
public final class PauseSchedule {

    private static final String PAUSE = """
            UPDATE rowlock.schedule
               SET version = version + 1, paused_at = statement_timestamp(), fire_at = NULL, queued_at = NULL
             WHERE name = ? AND paused_at IS NULL
            """;

    private static final String RESUME = """
            UPDATE rowlock.schedule
               SET version = version + 1, paused_at = NULL, next_at = ?, fire_at = CASE WHEN retired_at IS NULL THEN ?::timestamptz END
             WHERE name = ? AND paused_at IS NOT NULL
            """;

    private final String pause;
    private final String resume;

    public PauseSchedule(Schema schema) {
        this.pause = schema.sql(PAUSE);
        this.resume = schema.sql(RESUME);
    }

    /** Returns whether it was not paused. */
    public boolean pause(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, pause)) {
            statement.setString(1, name);
            return statement.executeUpdate() == 1;
        }
    }

    /**
     * Returns whether it was paused.
     *
     * @param next the time of its next run
     */
    public boolean resume(Connection connection, StoredSchedule paused, Instant next) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, resume)) {
            statement.setObject(1, next.atOffset(ZoneOffset.UTC));
            statement.setObject(
                    2, Timing.putOff(paused.name(), next, paused.jitter()).atOffset(ZoneOffset.UTC));
            statement.setString(3, paused.name());
            return statement.executeUpdate() == 1;
        }
    }
}
