package dev.rowlock.queue.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Makes the partitions of done for today and some days to come: ahead of time, and whenever a statement finds that there is
 * none. A job must not fail for want of what Rowlock itself has to provide.
 */
public final class EnsureDonePartitions {

    private static final Logger log = LoggerFactory.getLogger(EnsureDonePartitions.class);

    private static final String SQL = "SELECT rowlock.ensure_done_partitions(?)";

    /** How many days ahead they are made when today's is missing. */
    private static final int DAYS_AHEAD = 7;

    private static final String CHECK_VIOLATION = "23514";

    private final Database database;
    private final String sql;

    public EnsureDonePartitions(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** What stands in the way goes to the log. */
    public void run(int daysAhead) {
        database.alone(connection -> {
            run(connection, daysAhead);
            return daysAhead;
        });
    }

    /** The same on a connection that the calling thread owns. */
    public void run(Connection own, int daysAhead) throws SQLException {
        for (SQLWarning each = make(own, daysAhead); each != null; each = each.getNextWarning()) {
            log.error("{}", each.getMessage());
        }
    }

    private @Nullable SQLWarning make(Connection connection, int daysAhead) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, daysAhead);
            statement.execute();
            return statement.getWarnings();
        }
    }

    /** Makes today's, which is missing, and the next ones. */
    public void makeMissing() {
        // Each outcome may ask for that: what stands in the way is told by whoever looks ahead.
        database.alone(connection -> {
            make(connection, DAYS_AHEAD);
            return DAYS_AHEAD;
        });
    }

    /**
     * Runs a statement that inserts into done and is a transaction by itself; once more if the partition was missing, now that
     * it is not.
     *
     * @throws RuntimeException whatever the statement throws; {@link #missing} if the partition can not be made
     */
    public <T> T around(Supplier<T> statement) {
        try {
            return statement.get();
        } catch (RuntimeException e) {
            if (!missing(e)) {
                throw e;
            }
            makeMissing(e);
            return statement.get();
        }
    }

    /**
     * The same for a statement that joins the caller's transaction. That would not survive the failure, so a savepoint
     * keeps it; by SQL, because the driver offers none in distributed transactions.
     */
    public <T> T aroundJoined(Database.Call<T> call) {
        return around(() -> database.joined(connection -> {
            if (connection.getAutoCommit()) {
                return call.on(connection);
            }
            execute(connection, "SAVEPOINT rowlock_partition");
            try {
                T result = call.on(connection);
                execute(connection, "RELEASE SAVEPOINT rowlock_partition");
                return result;
            } catch (SQLException e) {
                if (!missing(e)) {
                    throw e;
                }
                execute(connection, "ROLLBACK TO SAVEPOINT rowlock_partition");
                makeMissing(e);
                return call.on(connection);
            }
        }));
    }

    private static void execute(Connection connection, String command) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(command);
        }
    }

    private <E extends Exception> void makeMissing(E refusal) throws E {
        try {
            makeMissing();
        } catch (RuntimeException e) {
            refusal.addSuppressed(e);
            throw refusal;
        }
    }

    /** Whether a statement failed because done has no partition for today. The server calls that a violated check, one without a name. */
    public static boolean missing(Exception e) {
        Throwable cause = e instanceof DataAccessException access ? access.getMostSpecificCause() : e;
        ServerErrorMessage server = cause instanceof PSQLException refusal ? refusal.getServerErrorMessage() : null;
        return server != null
                && CHECK_VIOLATION.equals(server.getSQLState())
                && "done".equals(server.getTable())
                && server.getConstraint() == null;
    }
}
