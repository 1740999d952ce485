package dev.rowlock.queue.internal.store.schedule;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** Gives a recurring job another schedule, payload or whatever else differs. */
public final class UpdateSchedule {

    private static final String SQL = """
            UPDATE rowlock.schedule s
               SET (%1$s) = (SELECT n.*),
                   version = s.version + 1, next_at = w.next_at, fire_at = CASE WHEN s.paused_at IS NULL THEN w.fire_at END,
                   declared_by = w.node_id, declared_process = w.process,
                   declared_at = CASE WHEN w.node_id IS NOT NULL THEN statement_timestamp() END,
                   retired_at = NULL
              FROM (SELECT %2$s) AS n (%1$s),
                   (SELECT ?::text, ?::bigint, ?::timestamptz, ?::timestamptz, ?::bigint, ?::bigint)
                   AS w (name, version, next_at, fire_at, node_id, process)
             WHERE s.name = w.name AND s.version = w.version
            """.formatted(ScheduleRow.COLUMNS, ScheduleRow.PARAMETERS);

    private final String sql;

    public UpdateSchedule(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /**
     * Returns whether it was done: nobody has changed the row since it was read.
     *
     * @param next the time of its next run
     * @param by whose application declares it so; null: it is changed at run time
     */
    public boolean run(Connection connection, StoredSchedule read, ScheduleRow row, Instant next, @Nullable Declarer by)
            throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            row.set(statement, 1);
            statement.setString(ScheduleRow.COUNT + 1, read.name());
            statement.setLong(ScheduleRow.COUNT + 2, read.version());
            statement.setObject(ScheduleRow.COUNT + 3, next.atOffset(ZoneOffset.UTC));
            statement.setObject(
                    ScheduleRow.COUNT + 4,
                    Timing.putOff(row.name(), next, row.jitter()).atOffset(ZoneOffset.UTC));
            statement.setObject(ScheduleRow.COUNT + 5, by == null ? null : by.node(), Types.BIGINT);
            statement.setObject(ScheduleRow.COUNT + 6, by == null ? null : by.process(), Types.BIGINT);
            return statement.executeUpdate() == 1;
        }
    }
}
