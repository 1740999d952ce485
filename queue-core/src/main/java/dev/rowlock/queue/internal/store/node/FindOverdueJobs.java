package dev.rowlock.queue.internal.store.node;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Finds running jobs whose deadline has passed on the server's clock, which may have been set since they were claimed. */
public final class FindOverdueJobs {

    private static final String SQL = IndexPlan.PREFIX + """
            SELECT id, token, node_id, date_part('epoch', deadline),
                   (1000 * date_part('epoch', deadline - claimed_at))::bigint
              FROM rowlock.running
             WHERE deadline < statement_timestamp() - ? * interval '1 ms'
             ORDER BY deadline LIMIT 1000
            """;

    /**
     * A job that looks overdue.
     *
     * @param deadline in seconds of the server's clock
     * @param allowed how long it may run
     */
    public record Overdue(Claim claim, long nodeId, double deadline, Duration allowed) {}

    private final Database database;
    private final String sql;

    public FindOverdueJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Finds those whose deadline passed longer ago than this, a thousand at most. */
    public List<Overdue> run(Duration grace) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setLong(1, grace.toMillis());
                try (ResultSet rows = IndexPlan.query(statement)) {
                    List<Overdue> found = new ArrayList<>();
                    while (rows.next()) {
                        found.add(new Overdue(
                                new Claim(rows.getLong(1), rows.getLong(2)),
                                rows.getLong(3),
                                rows.getDouble(4),
                                Duration.ofMillis(rows.getLong(5))));
                    }
                    return found;
                }
            }
        });
    }
}
