package dev.rowlock.queue.internal.store.schedule;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.springframework.dao.DataAccessException;

/** Reads recurring jobs, with the time of the database's clock. */
public final class ReadSchedules {

    private static final String ALL = """
            SELECT statement_timestamp(), %s FROM (SELECT) AS one LEFT JOIN rowlock.schedule s ON true ORDER BY s.name
            """.formatted(StoredSchedule.COLUMNS);

    private static final String NAMED = """
            SELECT statement_timestamp(), %s
              FROM (SELECT) AS one LEFT JOIN rowlock.schedule s ON s.name = ANY (?::text[])
             ORDER BY s.name
            """.formatted(StoredSchedule.COLUMNS);

    private static final String LOCKED = """
            SELECT statement_timestamp(), %s FROM rowlock.schedule s WHERE s.name = ANY (?::text[]) ORDER BY s.name FOR UPDATE
            """.formatted(StoredSchedule.COLUMNS);

    private static final String WAIT_BRIEFLY = "SELECT set_config('lock_timeout', '200ms', true)";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /** @param now by the database's clock */
    public record Found(Instant now, List<StoredSchedule> schedules) {}

    private final String all;
    private final String named;
    private final String locked;

    public ReadSchedules(Schema schema) {
        this.all = schema.sql(ALL);
        this.named = schema.sql(NAMED);
        this.locked = schema.sql(LOCKED);
    }

    public Found all(Connection connection) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, all)) {
            return read(statement);
        }
    }

    public Found named(Connection connection, Collection<String> names) throws SQLException {
        return named(connection, named, names);
    }

    /** Nobody else changes them until the transaction ends. The time is missing if there are none. */
    public List<StoredSchedule> locked(Connection connection, Collection<String> names) throws SQLException {
        return named(connection, locked, names).schedules();
    }

    /** In this transaction, no lock is waited for longer than a fifth of a second: then {@link #isLocked} knows the error. */
    public static void waitBriefly(Connection connection) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, WAIT_BRIEFLY)) {
            statement.execute();
        }
    }

    /** Whether somebody else has locked what was asked for. */
    public static boolean isLocked(DataAccessException e) {
        return e.getMostSpecificCause() instanceof SQLException cause && LOCK_NOT_AVAILABLE.equals(cause.getSQLState());
    }

    private static Found named(Connection connection, String sql, Collection<String> names) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            statement.setObject(1, Columns.texts(List.copyOf(names), name -> name));
            return read(statement);
        }
    }

    private static Found read(PreparedStatement statement) throws SQLException {
        Instant now = Instant.EPOCH;
        List<StoredSchedule> schedules = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                now = Objects.requireNonNull(Columns.instant(rows, 1));
                if (rows.getString(2) != null) {
                    schedules.add(StoredSchedule.read(rows, 2));
                }
            }
        }
        return new Found(now, List.copyOf(schedules));
    }
}
