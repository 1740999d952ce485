package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.schedule.StoredSchedule.Declarer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** What applications and operators do with recurring jobs. Who enqueues their jobs: {@link FireSchedules}. */
final class Schedules {

    private final Database database;

    public Schedules(Database database) {
        this.database = database;
    }

    /**
     * What was found.
     *
     * @param now by the database's clock
     */
    public record Found(Instant now, List<StoredSchedule> schedules) {}

    /** Reads all recurring jobs. */
    private static final String ALL = """
            SELECT statement_timestamp(), %s FROM (SELECT) AS one LEFT JOIN rowlock.schedule s ON true ORDER BY s.name
            """.formatted(StoredSchedule.COLUMNS);

    public Found all(Connection connection) throws SQLException {
        return found(on(connection, ALL));
    }

    /** Reads the recurring jobs of these names. */
    private static final String NAMED = """
            SELECT statement_timestamp(), %s
              FROM (SELECT) AS one LEFT JOIN rowlock.schedule s ON s.name = ANY (:names::text[])
             ORDER BY s.name
            """.formatted(StoredSchedule.COLUMNS);

    public Found named(Connection connection, Collection<String> names) throws SQLException {
        return found(on(connection, NAMED).set("names", names.toArray(String[]::new)));
    }

    /** The time by the database's clock. */
    public Instant now(Connection connection) throws SQLException {
        return named(connection, List.of()).now();
    }

    /** There is always a row, as the time is wanted where there are no recurring jobs, too. */
    private static Found found(ColdStatement statement) throws SQLException {
        List<StoredSchedule> schedules = new ArrayList<>();
        List<OffsetDateTime> times = statement.list(row -> {
            if (row.getString(2) != null) {
                schedules.add(StoredSchedule.read(row, 2));
            }
            return row.getObject(1, OffsetDateTime.class);
        });
        return new Found(times.get(0).toInstant(), List.copyOf(schedules));
    }

    /** Locks a recurring job until the transaction ends. */
    private static final String LOCKED = """
            SELECT %s FROM rowlock.schedule s WHERE s.name = :name FOR UPDATE
            """.formatted(StoredSchedule.COLUMNS);

    /** Nobody else changes it until the transaction ends. */
    public Optional<StoredSchedule> locked(Connection connection, String name) throws SQLException {
        return on(connection, LOCKED).set("name", name).first(row -> StoredSchedule.read(row, 1));
    }

    private static final String WAIT_BRIEFLY = "SELECT set_config('lock_timeout', '200ms', true)";

    /** In this transaction, no lock is waited for longer than a fifth of a second: then {@link #isLocked} knows the error. */
    public static void waitBriefly(Connection connection) throws SQLException {
        ColdStatement.on(connection, WAIT_BRIEFLY).only(row -> row.getString(1));
    }

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /** Whether somebody else has locked what was asked for. */
    public static boolean isLocked(DataAccessException e) {
        return e.getMostSpecificCause() instanceof SQLException cause && LOCK_NOT_AVAILABLE.equals(cause.getSQLState());
    }

    /** Makes a recurring job, unless there is one of that name. */
    private static final String INSERT = """
            INSERT INTO rowlock.schedule (%s, name, next_at, fire_at, declared_by, declared_process, declared_at)
            SELECT %s, n.name, n.next_at, n.fire_at, n.node_id, n.process, CASE WHEN n.node_id IS NOT NULL THEN statement_timestamp() END
              FROM (SELECT :name::text, :next_at::timestamptz, :fire_at::timestamptz, :node_id::bigint, :process::bigint)
                   AS n (name, next_at, fire_at, node_id, process)
            ON CONFLICT (name) DO NOTHING
            """.formatted(ScheduleRow.COLUMNS, ScheduleRow.PARAMETERS);

    /**
     * Makes one unless there is one of that name. Returns whether it was made.
     *
     * @param next the time of its first run
     * @param by whose application declares it; null: it is made at run time
     */
    public boolean insert(Connection connection, ScheduleRow row, Instant next, @Nullable Declarer by)
            throws SQLException {
        return writing(connection, INSERT, row, next, by)
                        .set("name", row.name())
                        .update()
                == 1;
    }

    /** Changes a recurring job, if it is still as it was read. */
    private static final String UPDATE = """
            UPDATE rowlock.schedule s
               SET (%1$s) = (SELECT n.*),
                   version = s.version + 1, next_at = w.next_at, fire_at = CASE WHEN s.paused_at IS NULL THEN w.fire_at END,
                   declared_by = w.node_id, declared_process = w.process,
                   declared_at = CASE WHEN w.node_id IS NOT NULL THEN statement_timestamp() END,
                   retired_at = NULL
              FROM (SELECT %2$s) AS n (%1$s),
                   (SELECT :name::text, :version::bigint, :next_at::timestamptz, :fire_at::timestamptz, :node_id::bigint, :process::bigint)
                   AS w (name, version, next_at, fire_at, node_id, process)
             WHERE s.name = w.name AND s.version = w.version
            """.formatted(ScheduleRow.COLUMNS, ScheduleRow.PARAMETERS);

    /**
     * Gives it another schedule, payload or whatever else differs. Returns whether it was done: nobody has changed the row since it was
     * read.
     *
     * @param next the time of its next run
     * @param by whose application declares it so; null: it is changed at run time
     */
    public boolean update(
            Connection connection, StoredSchedule read, ScheduleRow row, Instant next, @Nullable Declarer by)
            throws SQLException {
        return writing(connection, UPDATE, row, next, by)
                        .set("name", read.name())
                        .set("version", read.version())
                        .update()
                == 1;
    }

    private ColdStatement writing(
            Connection connection, String sql, ScheduleRow row, Instant next, @Nullable Declarer by) {
        return on(connection, sql)
                .set(row.values())
                .set("next_at", next.atOffset(ZoneOffset.UTC))
                .set("fire_at", fireAt(row.name(), next, row.recurring().jitter()))
                .set("node_id", by == null ? null : by.node())
                .set("process", by == null ? null : by.process());
    }

    private static OffsetDateTime fireAt(String name, Instant next, Duration jitter) {
        return Runs.putOff(name, next, jitter).atOffset(ZoneOffset.UTC);
    }

    /** Pauses a recurring job. */
    private static final String PAUSE = """
            UPDATE rowlock.schedule
               SET version = version + 1, paused_at = statement_timestamp(), fire_at = NULL, queued_at = NULL
             WHERE name = :name AND paused_at IS NULL
            """;

    /** Returns whether it was not paused. */
    public boolean pause(Connection connection, String name) throws SQLException {
        return on(connection, PAUSE).set("name", name).update() == 1;
    }

    /** Lets a paused recurring job go on. */
    private static final String RESUME = """
            UPDATE rowlock.schedule
               SET version = version + 1, paused_at = NULL, next_at = :next_at,
                   fire_at = CASE WHEN retired_at IS NULL THEN :fire_at::timestamptz END
             WHERE name = :name AND paused_at IS NOT NULL
            """;

    /**
     * Returns whether it was paused.
     *
     * @param next the time of its next run
     */
    public boolean resume(Connection connection, StoredSchedule paused, Instant next) throws SQLException {
        return on(connection, RESUME)
                        .set("name", paused.name())
                        .set("next_at", next.atOffset(ZoneOffset.UTC))
                        .set("fire_at", fireAt(paused.name(), next, paused.jitter()))
                        .update()
                == 1;
    }

    /** Deletes a recurring job. */
    private static final String DELETE = "DELETE FROM rowlock.schedule WHERE name = :name";

    /** Returns whether there was one of that name. */
    public boolean delete(Connection connection, String name) throws SQLException {
        return on(connection, DELETE).set("name", name).update() == 1;
    }

    // Nodes confirm the same ones: whoever comes next after a while writes it down. Who changes one at this moment must
    // not keep the others.
    private static final String CONFIRM = """
            UPDATE rowlock.schedule
               SET declared_at = statement_timestamp()
             WHERE name IN (SELECT name FROM rowlock.schedule
                             WHERE name = ANY (:names::text[]) AND declared_by IS NOT NULL
                               AND (declared_at < statement_timestamp() - :millis * interval '1 ms'
                                    OR declared_at > statement_timestamp())
                             ORDER BY name FOR UPDATE SKIP LOCKED)
            """;

    /** Notes that an application declares them, unless that was noted less than this ago. */
    public void confirm(Collection<String> names, Duration notSince) {
        database.alone(connection -> on(connection, CONFIRM)
                .set("names", names.toArray(String[]::new))
                .set("millis", notSince.toMillis())
                .update());
    }

    private static final String UNDECLARED = """
            SELECT name FROM rowlock.schedule
             WHERE declared_at < statement_timestamp() - :millis * interval '1 ms' AND retired_at IS NULL
            """;

    /** The names of those that nobody has declared for so long. */
    public Set<String> undeclared(Duration forSoLong) {
        return Set.copyOf(database.alone(connection ->
                on(connection, UNDECLARED).set("millis", forSoLong.toMillis()).list(row -> row.getString(1))));
    }

    private static final String RETIRE = """
            UPDATE rowlock.schedule
               SET version = version + 1, retired_at = statement_timestamp(), fire_at = NULL, queued_at = NULL
             WHERE name IN (SELECT name FROM rowlock.schedule
                             WHERE name = ANY (:names::text[]) AND retired_at IS NULL
                               AND declared_at < statement_timestamp() - :millis * interval '1 ms'
                             ORDER BY name FOR UPDATE SKIP LOCKED)
            """;

    /** Retires those of these that nobody has declared for so long. Returns how many. */
    public int retire(Collection<String> names, Duration undeclaredFor) {
        return database.alone(connection -> on(connection, RETIRE)
                .set("names", names.toArray(String[]::new))
                .set("millis", undeclaredFor.toMillis())
                .update());
    }

    private ColdStatement on(Connection connection, String sql) {
        return ColdStatement.on(connection, database.sql(sql));
    }
}
