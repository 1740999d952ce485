package dev.rowlock.queue.internal.store.schedule;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds recurring jobs whose time has come, and runs that waited for the end of another one which has ended. */
public final class FindDueSchedules {

    // What nodes declare is left to those that do: once nobody does, nobody enqueues it.
    private static final String SQL = """
            SELECT statement_timestamp(),
                   (SELECT date_part('epoch', n.fire_at - statement_timestamp()) FROM rowlock.schedule n
                     WHERE n.fire_at > statement_timestamp() AND (n.declared_by IS NULL OR n.name = ANY (own.names))
                     ORDER BY n.fire_at, n.name LIMIT 1),
                   EXISTS (SELECT FROM rowlock.schedule q WHERE q.queued_at IS NOT NULL AND q.retired_at IS NULL),
                   ARRAY(SELECT q.last_job_id FROM rowlock.schedule q
                          WHERE q.queued_at IS NOT NULL AND q.retired_at IS NULL AND q.overlap = 'cancel_running' AND q.last_job_id IS NOT NULL),
                   due.*
              FROM (SELECT ?::text[] AS names, ?::text[] AS without, ?::int AS most) AS own
              LEFT JOIN LATERAL (
                    (SELECT %1$s
                       FROM rowlock.schedule s
                      WHERE s.fire_at <= statement_timestamp()
                        AND (s.declared_by IS NULL OR s.name = ANY (own.names)) AND s.name <> ALL (own.without)
                      ORDER BY s.fire_at, s.name LIMIT own.most)
                    UNION ALL
                    (SELECT %1$s
                       FROM rowlock.schedule s
                      WHERE s.queued_at IS NOT NULL AND s.paused_at IS NULL AND s.retired_at IS NULL
                        AND (s.declared_by IS NULL OR s.name = ANY (own.names)) AND s.name <> ALL (own.without)
                        AND NOT (%2$s)
                      LIMIT own.most)) AS due ON true
            """;

    /**
     * What there is to do.
     *
     * @param now by the database's clock
     * @param nextIn how long until the next one is due; null: none is
     * @param queued whether runs wait for the end of others
     * @param cancel ids of jobs that are to be cancelled, because a run waits for their end
     * @param due each name once, the most urgent first
     * @param unreadable what is due as well and was written by hand, or by a version that knows more than this one
     */
    public record Look(
            Instant now,
            @Nullable Duration nextIn,
            boolean queued,
            List<Long> cancel,
            List<StoredSchedule> due,
            Map<String, RuntimeException> unreadable) {}

    private final Database database;
    private final String sql;

    public FindDueSchedules(Database database) {
        this.database = database;
        this.sql = database.sql(IndexPlan.PREFIX + SQL.formatted(StoredSchedule.COLUMNS, FireSchedules.LAST_JOB_LIVE));
    }

    /**
     * @param declared the names that this node declares
     * @param without the names of those that are left alone
     */
    public Look run(Collection<String> declared, Collection<String> without, int limit) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.texts(List.copyOf(declared), name -> name));
                statement.setObject(2, Columns.texts(List.copyOf(without), name -> name));
                statement.setInt(3, limit);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return read(rows);
                }
            }
        });
    }

    private static Look read(ResultSet rows) throws SQLException {
        Instant now = Instant.MIN;
        Duration nextIn = null;
        boolean queued = false;
        List<Long> cancel = List.of();
        Map<String, StoredSchedule> due = new LinkedHashMap<>();
        Map<String, RuntimeException> unreadable = new LinkedHashMap<>();
        while (rows.next()) {
            now = Objects.requireNonNull(Columns.instant(rows, 1));
            double seconds = rows.getDouble(2);
            nextIn = rows.wasNull() ? null : Duration.ofNanos((long) (seconds * 1e9));
            queued = rows.getBoolean(3);
            cancel = List.of((Long[]) rows.getArray(4).getArray());
            if (rows.getString(5) != null) {
                try {
                    due.putIfAbsent(rows.getString(5), StoredSchedule.read(rows, 5));
                } catch (IllegalArgumentException e) {
                    unreadable.put(rows.getString(5), e);
                }
            }
        }
        return new Look(now, nextIn, queued, cancel, List.copyOf(due.values()), Map.copyOf(unreadable));
    }
}
