package dev.rowlock.queue.internal.store.due;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.TableWalk;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Lets waits begin anew that began in the future: the server's clock was set back since, and by what their due times say they
 * would last longer by as much. Waits that end at a time that somebody named are left alone.
 */
public final class RestartWaits {

    // A job that waits since a time to come tells by how much the clock was set back at least, whoever looks and
    // however often: afterwards it waits since now. No wait gets shorter, since it had begun before. What waits for
    // longer than the clock was set back cannot be told from others. Two seconds are no step, only a correction.
    private static final String SQL = """
            WITH looked AS MATERIALIZED (
                SELECT id, since FROM rowlock.waiting WHERE id > ? ORDER BY id LIMIT ?
            ), locked AS MATERIALIZED (
                SELECT id FROM rowlock.waiting
                 WHERE id = ANY (ARRAY(SELECT id FROM looked WHERE since > clock_timestamp() + interval '2 s'))
                   AND since > clock_timestamp() + interval '2 s'
                 ORDER BY id
                   FOR UPDATE SKIP LOCKED
            ), restarted AS (
                UPDATE rowlock.waiting SET due_at = statement_timestamp() + (due_at - since), since = statement_timestamp()
                 WHERE id = ANY (ARRAY(SELECT id FROM locked))
                RETURNING due_at
            )
            SELECT (SELECT count(*) FROM looked), (SELECT max(id) FROM looked), count(*),
                   date_part('epoch', min(due_at) - statement_timestamp())
              FROM restarted
            """;

    private static final String NEXT = "SELECT id FROM rowlock.waiting WHERE id > ? ORDER BY id LIMIT 1";

    /** Before all jobs. */
    public static final long FRONT = Long.MIN_VALUE;

    /**
     * What became of a stretch.
     *
     * @param restarted how many waits began anew
     * @param nextDue when the first of those is due; null without any
     * @param end the last id that was looked at; null if there are no more behind it
     */
    public record Stretch(
            int restarted,
            @Nullable Duration nextDue,
            @Nullable Long end) {}

    private final Database database;
    private final TableWalk walk;

    public RestartWaits(Database database) {
        this.database = database;
        this.walk = new TableWalk(database, SQL);
    }

    /** Looks at so many waiting jobs behind the id. */
    public Stretch run(long behind, int limit) {
        return walk.run(behind, limit, RestartWaits::read);
    }

    /** The id of the first waiting job behind this one; empty if there is none. */
    public OptionalLong next(long behind) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, database.sql(NEXT))) {
                statement.setLong(1, behind);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
                }
            }
        });
    }

    private static Stretch read(ResultSet row, @Nullable Long end) throws SQLException {
        int restarted = row.getInt(3);
        Duration nextDue = restarted == 0 ? null : Duration.ofMillis((long) Math.ceil(row.getDouble(4) * 1000));
        return new Stretch(restarted, nextDue, end);
    }
}
