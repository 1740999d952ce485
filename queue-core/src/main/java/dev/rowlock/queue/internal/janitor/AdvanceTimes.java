package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import java.time.Duration;

/** Moves what waits for a time nearer to the present, for tests: the database's clock stays as it is. */
public final class AdvanceTimes {

    // What waits for something else than a time waits until 2255, and that is how it is told.
    private static final String SQL = """
            WITH moved AS (SELECT :millis * interval '1 ms' AS time),
            waiting AS (
                UPDATE rowlock.waiting SET due_at = due_at - time, enqueued_at = enqueued_at - time FROM moved WHERE due_at < '2255-01-01Z'),
            ready AS (UPDATE rowlock.ready SET enqueued_at = enqueued_at - time FROM moved),
            steps AS (UPDATE rowlock.workflow_step SET due_at = due_at - time FROM moved WHERE due_at IS NOT NULL),
            followers AS (UPDATE rowlock.once_more SET due_at = due_at - time FROM moved WHERE due_at IS NOT NULL),
            keys AS (UPDATE rowlock.unique_key SET held_until = held_until - time FROM moved WHERE held_until IS NOT NULL),
            schedules AS (
                UPDATE rowlock.schedule SET next_at = next_at - time, fire_at = fire_at - time FROM moved WHERE fire_at < '9000-01-01Z')
            UPDATE rowlock.rate_state
               SET next_at = next_at - date_part('epoch', time), held_until = held_until - date_part('epoch', time)
              FROM moved
            """;

    private final Database database;

    public AdvanceTimes(Database database) {
        this.database = database;
    }

    public void run(Duration time) {
        database.alone(connection -> ColdStatement.on(connection, database.sql(SQL))
                .set("millis", time.toMillis())
                .update());
    }
}
