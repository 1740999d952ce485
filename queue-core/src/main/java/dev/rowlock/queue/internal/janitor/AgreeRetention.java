package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.settings.RetentionSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * States how long this node wants ended jobs and the audit to be kept, and finds out how long they are: as long as any node of the last two days
 * wants it. Not only those that are there now, because an application may be away for a moment.
 */
public final class AgreeRetention {

    private static final String SQL = """
            WITH mine AS (
                INSERT INTO rowlock.retention AS r (done_millis, dead_millis, audit_millis, stated_at)
                VALUES (:done, :dead, :audit, clock_timestamp())
                ON CONFLICT (done_millis, dead_millis, audit_millis) DO UPDATE SET stated_at = excluded.stated_at
                RETURNING done_millis, dead_millis, audit_millis
            )
            SELECT max(done_millis), max(dead_millis), max(audit_millis), clock_timestamp()
              FROM (SELECT done_millis, dead_millis, audit_millis FROM mine
                    UNION ALL
                    SELECT done_millis, dead_millis, audit_millis FROM rowlock.retention
                     WHERE stated_at > clock_timestamp() - interval '2 days') AS wish
            """;

    private static final long FOR_EVER = Long.MAX_VALUE;

    /**
     * What all want.
     *
     * @param done zero: nobody keeps completed jobs
     * @param dead null: for ever
     * @param audit lines of the audit table, and bulk actions since their end
     * @param now the server's clock
     */
    public record Agreed(Duration done, @Nullable Duration dead, Duration audit, Instant now) {}

    private final Database database;

    public AgreeRetention(Database database) {
        this.database = database;
    }

    public Agreed run(RetentionSettings mine) {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(SQL))
                .set("done", mine.done().toMillis())
                .set("dead", mine.dead() == null ? FOR_EVER : mine.dead().toMillis())
                .set("audit", mine.audit().toMillis())
                .only(row -> new Agreed(
                        Duration.ofMillis(row.getLong(1)),
                        row.getLong(2) == FOR_EVER ? null : Duration.ofMillis(row.getLong(2)),
                        Duration.ofMillis(row.getLong(3)),
                        row.getObject(4, OffsetDateTime.class).toInstant())));
    }
}
