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

/** Makes a recurring job unless there is one of that name. */
public final class InsertSchedule {

    private static final String SQL = """
            INSERT INTO rowlock.schedule (%s, name, next_at, fire_at, declared_by, declared_process, declared_at)
            SELECT %s, n.name, n.next_at, n.fire_at, n.node_id, n.process, CASE WHEN n.node_id IS NOT NULL THEN statement_timestamp() END
              FROM (SELECT ?::text, ?::timestamptz, ?::timestamptz, ?::bigint, ?::bigint)
                   AS n (name, next_at, fire_at, node_id, process)
            ON CONFLICT (name) DO NOTHING
            """.formatted(ScheduleRow.COLUMNS, ScheduleRow.PARAMETERS);

    private final String sql;

    public InsertSchedule(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /**
     * Returns whether it was made.
     *
     * @param next the time of its first run
     * @param by whose application declares it; null: it is made at run time
     */
    public boolean run(Connection connection, ScheduleRow row, Instant next, @Nullable Declarer by)
            throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            row.set(statement, 1);
            statement.setString(ScheduleRow.COUNT + 1, row.name());
            statement.setObject(ScheduleRow.COUNT + 2, next.atOffset(ZoneOffset.UTC));
            statement.setObject(
                    ScheduleRow.COUNT + 3,
                    Timing.putOff(row.name(), next, row.jitter()).atOffset(ZoneOffset.UTC));
            statement.setObject(ScheduleRow.COUNT + 4, by == null ? null : by.node(), Types.BIGINT);
            statement.setObject(ScheduleRow.COUNT + 5, by == null ? null : by.process(), Types.BIGINT);
            return statement.executeUpdate() == 1;
        }
    }
}
