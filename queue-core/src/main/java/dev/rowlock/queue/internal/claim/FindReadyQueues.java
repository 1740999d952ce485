package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Which of many queues somebody should look at: the one statement by which a node polls all queues where nothing happens. */
public final class FindReadyQueues {

    // One row of the index for each queue, by a LIMIT: for an EXISTS the planner may choose to read the whole table.
    // Where dead entries stand in front, or jobs of an open transaction, even that one row takes long. Each queue is
    // timed, so that such a one does not make all others wait the next time.
    private static final String SQL = IndexPlan.PREFIX + """
            SELECT queue
              FROM (SELECT queue, found, ended - lag(ended, 1, statement_timestamp()) OVER () AS took
                      FROM (SELECT asked.queue, coalesce(first.found, keyed.found) AS found, clock_timestamp() AS ended
                              FROM unnest(?::text[]) AS asked (queue)
                              LEFT JOIN LATERAL (SELECT true AS found
                                                   FROM rowlock.ready
                                                  WHERE ready.queue = asked.queue AND job_key IS NULL
                                                  ORDER BY ready.queue, rank, ready_at, id
                                                  LIMIT 1) AS first ON true
                              LEFT JOIN LATERAL (SELECT true AS found
                                                   FROM rowlock.ready
                                                  WHERE ready.queue = asked.queue AND job_key IS NOT NULL
                                                  ORDER BY ready.queue, job_key, rank, id
                                                  LIMIT 1) AS keyed ON true) AS looked) AS timed
             WHERE found OR took > ? * interval '1 ms'
            """;

    private final Database database;

    /** Tells of given queues in which a job is ready, and in which it took long to see that none is. */
    private final String sql;

    public FindReadyQueues(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns those of them where a job is ready, and those where it took longer than this to see that none is. */
    public List<String> among(List<String> queues, Duration slow) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.texts(queues, queue -> queue));
                statement.setLong(2, slow.toMillis());
                try (ResultSet rows = IndexPlan.query(statement)) {
                    List<String> found = new ArrayList<>();
                    while (rows.next()) {
                        found.add(rows.getString(1));
                    }
                    return found;
                }
            }
        });
    }
}
