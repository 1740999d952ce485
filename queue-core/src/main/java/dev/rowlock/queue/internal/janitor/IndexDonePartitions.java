package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/**
 * Makes the indexes of partitions of done whose time is over: by id, for all of them together, and by queue. Outcomes never write to an index
 * that they do not need: today has none, so a look for an id always reads today's primary key too, and a search for the few done jobs of a queue one
 * partition at most.
 */
public final class IndexDonePartitions {

    /**
     * Finds the newest partition of done that is over and has no index yet. An hour later: clocks differ, and may be set back a
     * little. Whoever writes to an indexed day nevertheless pays for the index, and that is all. The newest day first: people look at it.
     */
    private static final String WITHOUT = """
            SELECT p.partition FROM rowlock.done_partition p
             WHERE p.is_ours AND NOT p.indexed AND p.until_at <= statement_timestamp() - interval '1 hour'
             ORDER BY p.partition DESC LIMIT 1
            """;

    private static final String INDEX = "SELECT rowlock.index_done_partition(:partition)";

    /** Somebody writes to that day, or drops it. */
    private static final Set<String> REFUSED = Set.of("55P03", "40P01", "42P01");

    /** Only who writes to the old day waits for whoever waits for that. */
    private static final Duration LOCK = Duration.ofSeconds(2);

    private final Database database;
    private final Duration lock;

    public IndexDonePartitions(Database database) {
        this(database, LOCK);
    }

    IndexDonePartitions(Database database, Duration lock) {
        this.database = database;
        this.lock = lock;
    }

    /** Indexes one day and returns its name; null: none is left, or somebody is in the way. */
    public @Nullable String run() {
        String partition = database.alone(connection ->
                        ColdStatement.on(connection, database.sql(WITHOUT)).first(row -> row.getString(1)))
                .orElse(null);
        if (partition == null) {
            return null;
        }
        try {
            database.atomically(connection -> {
                DropDonePartitions.limitWait(connection, lock);
                return ColdStatement.on(connection, database.sql(INDEX))
                        .set("partition", partition)
                        .first(row -> true);
            });
            return partition;
        } catch (DataAccessException e) {
            if (e.getMostSpecificCause() instanceof SQLException sql && REFUSED.contains(sql.getSQLState())) {
                return null;
            }
            throw e;
        }
    }
}
