package dev.rowlock.queue.internal.store;

import java.sql.PreparedStatement;

/** Counts the live rooms and dead, by queue, into the table {@code depth}. */
public final class MeasureDepth {

    // oldest_at: since when the longest-waiting job of a queue is runnable; null elsewhere.
    private static final String SQL = """
            WITH measured AS MATERIALIZED (
                SELECT queue, 'waiting' AS state, count(*) AS jobs, NULL::timestamptz AS oldest_at FROM rowlock.waiting GROUP BY queue
                UNION ALL
                SELECT queue, 'ready', count(*), min(ready_at) FROM rowlock.ready GROUP BY queue
                UNION ALL
                SELECT queue, 'running', count(*), NULL FROM rowlock.running GROUP BY queue
                UNION ALL
                SELECT queue, 'dead', count(*), NULL FROM rowlock.dead GROUP BY queue
            ), emptied AS (
                UPDATE rowlock.depth d SET jobs = 0, oldest_at = NULL, measured_at = statement_timestamp()
                 WHERE NOT EXISTS (SELECT FROM measured m WHERE m.queue = d.queue AND m.state = d.state)
            )
            INSERT INTO rowlock.depth AS d (queue, state, jobs, oldest_at, measured_at)
            SELECT queue, state, jobs, oldest_at, statement_timestamp() FROM measured
            ON CONFLICT (queue, state) DO UPDATE
               SET jobs = excluded.jobs, oldest_at = excluded.oldest_at, measured_at = excluded.measured_at
            """;

    private final Database database;
    private final String sql;

    public MeasureDepth(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public void run() {
        database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                return statement.executeUpdate();
            }
        });
    }
}
