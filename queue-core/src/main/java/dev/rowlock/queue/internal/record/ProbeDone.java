package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.IndexPlan;
import java.sql.PreparedStatement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out whether an ordinary outcome can be written now: writes a row of done and rolls it back. */
public final class ProbeDone {

    private static final Logger log = LoggerFactory.getLogger(ProbeDone.class);

    // Nothing that compresses: also room for a result of that length is what is asked for.
    private static final String SQL = IndexPlan.OUTCOMES_PREFIX + """
            INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload, result)
            SELECT 0, statement_timestamp(), statement_timestamp(), 0, 1, 0, 'completed', 'rowlock', 'rowlock.probe', '{}',
                   (SELECT to_json(string_agg(md5(random()::text), '')) FROM generate_series(1, (? + 31) / 32))
            """;

    private final Database database;
    private final String sql;
    private final EnsureDonePartitions partitions;

    public ProbeDone(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
        this.partitions = new EnsureDonePartitions(database);
    }

    /** Whether an outcome with a result of so many characters can be written. 0: one without a result. */
    public boolean run(int resultLength) {
        try {
            return partitions.around(() -> database.atomically(connection -> {
                try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                    statement.setInt(1, resultLength);
                    statement.execute();
                    connection.rollback();
                    return true;
                }
            }));
        } catch (RuntimeException e) {
            log.debug("an outcome with a result of {} characters could not be written", resultLength, e);
            return false;
        }
    }
}
