package dev.rowlock.queue.internal.chore;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import java.sql.Connection;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Wins a chore that one node at a time does for all, or leaves it to whoever won it. */
public final class TakeChore {

    // Looks at the clock when it has the row: another one may just have taken it, a moment after this statement began.
    // A chore that was taken in the future is due: the clock was set back, and due_at may be far away.
    private static final String TAKE = """
            INSERT INTO rowlock.chore AS c (name, taken_at, due_at)
            SELECT :name, now, now + :millis * interval '1 ms' FROM clock_timestamp() AS now
            ON CONFLICT (name) DO UPDATE
               SET taken_at = clock_timestamp(), due_at = clock_timestamp() + (excluded.due_at - excluded.taken_at)
             WHERE clock_timestamp() NOT BETWEEN c.taken_at AND c.due_at
            RETURNING name
            """;

    private static final String KEEP = """
            UPDATE rowlock.chore SET taken_at = now, due_at = now + :millis * interval '1 ms'
              FROM clock_timestamp() AS now
             WHERE name = :name
            """;

    private final Database database;

    public TakeChore(Database database) {
        this.database = database;
    }

    /** Takes a chore that one node does for all, if it is due. Returns whether the caller is to do it now; then nobody else does it before {@code again} has passed. */
    public boolean run(String name, Duration again) {
        return database.alone(connection ->
                on(connection, TAKE, name, again).first(row -> true).isPresent());
    }

    private ColdStatement on(Connection connection, String sql, String name, Duration again) {
        return ColdStatement.on(connection, database.sql(sql)).set("name", name).set("millis", again.toMillis());
    }

    /**
     * Does a chore that this node has taken. If it fails, it is due again: otherwise nobody would try it before the interval has passed, and
     * this node's next run, which leaves it alone, would look like a success.
     */
    public <T extends @Nullable Object> T orGiveBack(String name, Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error e) {
            giveBack(name, e);
            throw e;
        }
    }

    /**
     * Does a chore if it is due, and gives it back if it fails. Returns when to ask again.
     *
     * @param work returns how long until it is due again
     */
    public Duration ifDue(String name, Duration interval, Supplier<Duration> work) {
        if (!run(name, interval)) {
            return interval;
        }
        Duration again = orGiveBack(name, work);
        if (!again.equals(interval)) {
            keep(name, again);
        }
        return again;
    }

    private void giveBack(String name, Throwable failure) {
        try {
            keep(name, Duration.ZERO);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Postpones a chore that this node has taken: it is still working, or knows better when it is due. Nobody else does it before. */
    public void keep(String name, Duration again) {
        database.alone(connection -> on(connection, KEEP, name, again).update());
    }
}
