package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import java.sql.PreparedStatement;
import java.util.Collection;
import java.util.List;

/** Stores the limits that an application declares. Those that were set at run time stay as they are. */
public final class DeclareLimits {

    // Without a change no row is written. Locks are taken in the order of the queues.
    private static final String SQL = """
            WITH given AS (
                SELECT * FROM unnest(?::text[], ?::int[], ?::int[]) AS given (queue, max_running, max_running_per_key)
            ), gone AS (
                DELETE FROM rowlock.queue_limit l
                 WHERE l.declared AND l.queue = ANY (?::text[])
                   AND NOT EXISTS (SELECT FROM given g WHERE g.queue = l.queue)
                RETURNING l.queue
            ), written AS (
                INSERT INTO rowlock.queue_limit AS l (queue, max_running, max_running_per_key, declared)
                SELECT queue, max_running, max_running_per_key, true FROM given ORDER BY queue
                ON CONFLICT (queue) DO UPDATE
                   SET max_running = excluded.max_running, max_running_per_key = excluded.max_running_per_key,
                       changed_at = statement_timestamp(), who = NULL
                 WHERE l.declared AND ?
                   AND (l.max_running, l.max_running_per_key) IS DISTINCT FROM (excluded.max_running, excluded.max_running_per_key)
                RETURNING l.queue
            )
            SELECT queue FROM gone UNION SELECT queue FROM written
            """;

    private static final Row<String> QUEUE = row -> row.getString(1);

    private final Database database;
    private final String sql;

    public DeclareLimits(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /**
     * The application has just started: what it declares takes the place of what others have declared, and declared limits of queues that
     * it runs are gone if it declares none. Returns the queues with another limit than before.
     *
     * @param run the queues whose jobs it runs
     */
    public List<String> anew(Collection<QueueLimit> limits, Collection<String> run) {
        return declare(limits, run, true);
    }

    /** Stores those again that have been removed. Returns their queues. */
    public List<String> again(Collection<QueueLimit> limits) {
        return declare(limits, List.of(), false);
    }

    private List<String> declare(Collection<QueueLimit> limits, Collection<String> without, boolean change) {
        List<QueueLimit> all = List.copyOf(limits);
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setObject(1, Columns.texts(all, QueueLimit::queue));
                statement.setObject(2, all.stream().map(QueueLimit::maxRunning).toArray(Integer[]::new));
                statement.setObject(
                        3, all.stream().map(QueueLimit::maxRunningPerKey).toArray(Integer[]::new));
                statement.setObject(4, without.toArray(String[]::new));
                statement.setBoolean(5, change);
                return QUEUE.all(statement);
            }
        });
    }
}
