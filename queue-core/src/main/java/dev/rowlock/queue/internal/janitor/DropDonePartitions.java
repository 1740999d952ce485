package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** Drops the partitions of done that have aged out, and writes down how many jobs went with them. */
public final class DropDonePartitions {

    /**
     * Lists the partitions of done, by their names done_YYYYMMDD, all of whose time is over for so long. Only those whose names are ours,
     * done_YYYYMMDD.
     */
    private static final String AGED = """
            SELECT c.relname
              FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
             CROSS JOIN LATERAL rowlock.done_bounds(c.oid) AS b
             WHERE i.inhparent = 'rowlock.done'::regclass AND c.relname ~ '^done_[0-9]{8}$'
               AND b.until_at <= statement_timestamp() - :millis * interval '1 ms'
             ORDER BY c.relname
            """;

    /** Deletes from done_place the places of a day whose partition is dropped next. Before the locks that others wait for: there may be many. */
    private static final String FORGET_PLACES = "DELETE FROM rowlock.done_place WHERE day = to_date(:day, 'YYYYMMDD')";

    /** Somebody reads or writes it. */
    private static final Set<String> REFUSED = Set.of("55P03", "40P01");

    /** SQLSTATE classes: no connection, disk or memory, or who else is at work. It is not about one partition. */
    private static final Set<String> OF_THE_SERVER = Set.of("08", "25", "40", "53", "55", "57", "58");

    /** Of those, this one is: to count its jobs took too long, or somebody has stopped that. */
    private static final String STOPPED = "57014";

    /** Another node has just dropped it. */
    private static final String GONE = "42P01";

    /** Only who writes to the old day waits for whoever waits for that. */
    private static final Duration PARTITION_LOCK = Duration.ofSeconds(2);

    /**
     * To drop a partition takes a lock of the whole table, and all outcomes queue behind whoever waits for that. So it waits for
     * a moment only, several times, and lets them pass in between.
     */
    private static final Duration TABLE_LOCK = Duration.ofMillis(50);

    private static final int TRIES = 5;

    private static final Duration PAUSE = Duration.ofMillis(100);

    /** Limits the wait for a lock. */
    private static final String LIMIT_WAIT = "SELECT set_config('lock_timeout', :millis, true)";

    private final Database database;
    private final Duration partitionLock;
    private final Duration tableLock;

    public DropDonePartitions(Database database) {
        this(database, PARTITION_LOCK, TABLE_LOCK);
    }

    DropDonePartitions(Database database, Duration partitionLock, Duration tableLock) {
        this.database = database;
        this.partitionLock = partitionLock;
        this.tableLock = tableLock;
    }

    /** The same, but the first one that cannot be dropped ends it, with an exception. */
    public List<String> run(Duration keep) {
        return run(keep, (partition, why) -> {
            throw why;
        });
    }

    /**
     * Drops what is older than this, oldest first, and returns the names. The first one that somebody is in the way of ends it:
     * who reads one of them usually reads all. They are left for the next time. One that cannot be dropped, because a view needs it,
     * say, keeps no other.
     *
     * @param stays told of each that cannot be dropped, and why
     */
    public List<String> run(Duration keep, BiConsumer<String, DataAccessException> stays) {
        List<String> dropped = new ArrayList<>();
        try {
            for (String partition : aged(keep)) {
                if (dropOrTell(partition, stays)) {
                    dropped.add(partition);
                }
            }
        } catch (DataAccessException e) {
            if (!REFUSED.contains(state(e))) {
                throw e;
            }
        }
        return dropped;
    }

    private List<String> aged(Duration keep) {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(AGED))
                .set("millis", keep.toMillis())
                .list(row -> row.getString(1)));
    }

    private boolean dropOrTell(String partition, BiConsumer<String, DataAccessException> stays) {
        try {
            return drop(partition);
        } catch (DataAccessException e) {
            String state = state(e);
            if (state == null
                    || !state.equals(STOPPED) && OF_THE_SERVER.stream().anyMatch(state::startsWith)) {
                throw e;
            }
            stays.accept(partition, e);
            return false;
        }
    }

    /** Returns whether it was this call that did it. */
    private boolean drop(String partition) {
        try {
            database.atomically(connection -> {
                drop(connection, partition);
                return partition;
            });
            return true;
        } catch (DataAccessException e) {
            if (GONE.equals(state(e))) {
                return false;
            }
            throw e;
        }
    }

    private void drop(Connection connection, String partition) throws SQLException {
        limitWait(connection, partitionLock);
        try (Statement statement = connection.createStatement()) {
            // Whoever still writes to it ends first, and is counted. Of two nodes, one passes and the other finds it
            // gone.
            statement.execute(database.sql("LOCK TABLE rowlock." + partition + " IN SHARE ROW EXCLUSIVE MODE"));
            long jobs = ColdStatement.on(connection, database.sql("SELECT count(*) FROM rowlock." + partition))
                    .only(row -> row.getLong(1));
            ColdStatement.on(connection, database.sql(FORGET_PLACES))
                    .set("day", partition.substring(partition.length() - 8))
                    .update();
            limitWait(connection, tableLock);
            dropSoon(statement, database.sql("SELECT rowlock.drop_done_partition('" + partition + "')"));
            statement.execute(
                    database.sql("INSERT INTO rowlock.dropped VALUES (statement_timestamp(), 'done', " + jobs + ")"));
        }
    }

    private static void dropSoon(Statement statement, String drop) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            statement.execute("SAVEPOINT before_drop");
            try {
                statement.execute(drop);
                return;
            } catch (SQLException e) {
                if (attempt == TRIES || !REFUSED.contains(e.getSQLState())) {
                    throw e;
                }
                statement.execute("ROLLBACK TO SAVEPOINT before_drop"); // gives up the locks that it did get
                LockSupport.parkNanos(PAUSE.multipliedBy(attempt).toNanos());
            }
        }
    }

    static void limitWait(Connection connection, Duration longest) throws SQLException {
        ColdStatement.on(connection, LIMIT_WAIT)
                .set("millis", Long.toString(longest.toMillis()))
                .first(row -> true);
    }

    private static @Nullable String state(DataAccessException e) {
        return e.getMostSpecificCause() instanceof SQLException sql ? sql.getSQLState() : null;
    }
}
