package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.ColdStatement;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.search.RoomCondition;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** Counts the jobs that a bulk action is for, up to a limit, for a limited time. */
final class CountBulkJobs {

    /** More are not counted. */
    static final int MOST = 100_000;

    private static final String SQL = "SELECT count(*) FROM (SELECT FROM rowlock.%s WHERE %s LIMIT %d) AS found";

    private static final String CANCELLED = "57014";

    private final Schema schema;
    private final Duration longest;

    CountBulkJobs(Schema schema, Duration longest) {
        this.schema = schema;
        this.longest = longest;
    }

    /**
     * How many there are.
     *
     * @param all false: there are more, or the time was up
     */
    record Count(long jobs, boolean all) {}

    /** In a transaction, of which a count that takes too long leaves nothing behind. */
    Count run(Connection connection, List<RoomCondition> conditions) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SAVEPOINT rowlock_count");
            statement.execute("SET LOCAL statement_timeout = " + longest.toMillis());
            long jobs = 0;
            boolean all = true;
            try {
                for (RoomCondition condition : conditions) {
                    long found = count(connection, condition);
                    jobs += Math.min(found, MOST);
                    all &= found <= MOST;
                }
            } catch (SQLException e) {
                if (!CANCELLED.equals(e.getSQLState())) {
                    throw e;
                }
                all = false;
            }
            statement.execute("ROLLBACK TO SAVEPOINT rowlock_count");
            return new Count(Math.min(jobs, MOST), all && jobs <= MOST);
        }
    }

    private long count(Connection connection, RoomCondition condition) throws SQLException {
        String sql = schema.sql(SQL).formatted(condition.room().table(), schema.sql(condition.sql()), MOST + 1);
        return ColdStatement.on(connection, sql).set(condition.values()).only(row -> row.getLong(1));
    }
}
