package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.search.BoundedSearch;
import dev.rowlock.queue.internal.search.FilterConditions;
import dev.rowlock.queue.internal.search.FilterConditions.RoomCondition;
import dev.rowlock.queue.internal.search.SealedTexts;
import dev.rowlock.queue.internal.search.SearchedRoom;
import dev.rowlock.queue.operate.Actor;
import dev.rowlock.queue.search.JobFilter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import org.springframework.dao.DataAccessException;

/** Makes waiting jobs due earlier, a stretch of the table at a time, all in one transaction: a job must not be moved twice. */
public final class BringForward {

    private static final int STRETCH = 5_000;

    /**
     * Makes the waiting jobs of a stretch due earlier. The stretch is cut before the filter looks at it. What waits for something else than a time
     * has a due time that says nothing, or that says when it goes on without.
     */
    private static final String SQL = """
            WITH looked AS MATERIALIZED (
                SELECT id FROM rowlock.waiting WHERE id > :behind AND id < :end ORDER BY id LIMIT :stretch
            ), wanted AS MATERIALIZED (
                SELECT id FROM (SELECT * FROM rowlock.waiting WHERE id = ANY (ARRAY(SELECT id FROM looked)) OFFSET 0) AS waiting
                 WHERE %s AND due_at > statement_timestamp() AND reason NOT IN ('once-more', 'parents', 'policy')
            ), locked AS MATERIALIZED (
                SELECT id FROM rowlock.waiting WHERE id = ANY (ARRAY(SELECT id FROM wanted))
                 ORDER BY id
                   FOR UPDATE SKIP LOCKED
            ), moved AS (
                -- One that was enqueued in the future was so before the step: whoever looks for such jobs finds it no more.
                UPDATE rowlock.waiting SET due_at = greatest(due_at - given.by, statement_timestamp()),
                                           enqueued_at = CASE WHEN enqueued_at > statement_timestamp()
                                                              THEN least(enqueued_at - given.by, statement_timestamp()) ELSE enqueued_at END
                  FROM (SELECT :by_millis * interval '1 ms' AS by) AS given
                 WHERE id = ANY (ARRAY(SELECT id FROM locked))
                RETURNING id
            )
            SELECT (SELECT count(*) FROM looked), (SELECT max(id) FROM looked), count(*) FROM moved
            """;

    /** Draws an id, behind which no job of now lies. It stays nobody's: all jobs that come later have higher ones. */
    private static final String END = "SELECT nextval('rowlock.job_id')";

    private final Database database;

    public BringForward(Database database) {
        this.database = database;
    }

    /**
     * Joins the caller's transaction. Returns how many.
     *
     * @throws IllegalArgumentException if the filter has no condition, its jsonpath is none, or no waiting job can match
     */
    public int run(TransactionStanding standing, JobFilter filter, Duration by, Actor actor) {
        RoomCondition waiting = FilterConditions.of(filter, EnumSet.of(SearchedRoom.WAITING), "bring forward")
                .get(0);
        AuditNote note = new AuditNote(actor.who(), actor.why(), "bring forward", filter.toString(), "by " + by);
        try {
            return database.joinedAtomically(standing, database.numbered(connection -> {
                SealedTexts.refuse(database, connection, filter);
                int jobs = walk(connection, waiting, by);
                if (jobs > 0) {
                    note.write(connection, database.schema(), jobs);
                }
                return jobs;
            }));
        } catch (DataAccessException e) {
            throw BoundedSearch.understood(filter, e);
        }
    }

    /** Makes the waiting jobs of a stretch due earlier, one stretch after the other. */
    private int walk(Connection connection, RoomCondition waiting, Duration by) throws SQLException {
        ColdStatement statement = ColdStatement.on(connection, database.sql(SQL.formatted(waiting.sql())))
                .set(waiting.values())
                .set("end", end(connection))
                .set("stretch", STRETCH)
                .set("by_millis", by.toMillis());
        Stretch last = new Stretch(STRETCH, Long.MIN_VALUE, 0);
        int jobs = 0;
        while (last.looked == STRETCH) {
            last = statement.set("behind", last.end).only(Stretch::of);
            jobs += last.moved;
        }
        return jobs;
    }

    private long end(Connection connection) throws SQLException {
        return ColdStatement.on(connection, database.sql(END)).only(row -> row.getLong(1));
    }

    /** @param end the last id that was looked at */
    private record Stretch(int looked, long end, int moved) {

        static Stretch of(ResultSet row) throws SQLException {
            return new Stretch(row.getInt(1), row.getLong(2), row.getInt(3));
        }
    }
}
