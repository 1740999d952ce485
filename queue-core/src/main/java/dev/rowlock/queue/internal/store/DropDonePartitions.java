package dev.rowlock.queue.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.springframework.dao.DataAccessException;

/** Drops the partitions of done that have aged out, and writes down how many jobs went with them. */
public final class DropDonePartitions {

    // The names are ours, done_YYYYMMDD, and their day ends 24 h after it began, in UTC.
    private static final String AGED = """
            SELECT c.relname
              FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
             WHERE i.inhparent = 'rowlock.done'::regclass AND c.relname ~ '^done_[0-9]{8}$'
               AND (to_date(right(c.relname, 8), 'YYYYMMDD') + 1)::timestamp AT TIME ZONE 'UTC'
                   <= statement_timestamp() - ? * interval '1 ms'
             ORDER BY c.relname
            """;

    /** Somebody reads it, somebody writes to several partitions at once, or another node has just dropped it. */
    private static final Set<String> NEXT_TIME = Set.of("55P03", "40P01", "42P01");

    /** Completions queue behind whoever waits to drop: better try again another time. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

    private static final String LIMIT_WAIT = "SELECT set_config('lock_timeout', ?, true)";

    private final Database database;
    private final Duration lockTimeout;

    public DropDonePartitions(Database database) {
        this(database, LOCK_TIMEOUT);
    }

    DropDonePartitions(Database database, Duration lockTimeout) {
        this.database = database;
        this.lockTimeout = lockTimeout;
    }

    /**
     * Drops what is older than this and returns the names. A partition that somebody is reading is left for the next
     * time.
     */
    public List<String> run(Duration keep) {
        List<String> dropped = new ArrayList<>();
        for (String partition : aged(keep)) {
            if (drop(partition)) {
                dropped.add(partition);
            }
        }
        return dropped;
    }

    private List<String> aged(Duration keep) {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(AGED))) {
                statement.setLong(1, keep.toMillis());
                try (ResultSet rows = statement.executeQuery()) {
                    List<String> names = new ArrayList<>();
                    while (rows.next()) {
                        names.add(rows.getString(1));
                    }
                    return names;
                }
            }
        });
    }

    private boolean drop(String partition) {
        try {
            return database.atomically(connection -> drop(connection, partition));
        } catch (DataAccessException e) {
            if (e.getMostSpecificCause() instanceof SQLException sql && NEXT_TIME.contains(sql.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    private boolean drop(Connection connection, String partition) throws SQLException {
        try (PreparedStatement limit = connection.prepareStatement(LIMIT_WAIT);
                Statement statement = connection.createStatement()) {
            limit.setString(1, Long.toString(lockTimeout.toMillis()));
            limit.execute();
            // Whoever still writes to it ends first, and is counted. Of two nodes, one passes and the other finds it
            // gone.
            statement.execute(database.sql("LOCK TABLE rowlock." + partition + " IN SHARE ROW EXCLUSIVE MODE"));
            statement.execute(database.sql(
                    "INSERT INTO rowlock.dropped SELECT statement_timestamp(), 'done', count(*) FROM rowlock."
                            + partition));
            statement.execute(database.sql("DROP TABLE rowlock." + partition));
            return true;
        }
    }
}
