package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.operate.BulkActionRow.TakenAction;
import dev.rowlock.queue.internal.search.FilterConditions.RoomCondition;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** Moves jobs of a bulk action that this transaction has locked, behind a savepoint; and says which ones cannot be moved. */
final class MoveBulkJobs {

    private static final Logger log = LoggerFactory.getLogger(MoveBulkJobs.class);

    private static final int NAMED = 20;

    private static final int LONGEST_REFUSAL = 500;

    /** Data exceptions: the server's message quotes the value. */
    private static final String QUOTES = "22";

    private final Database database;

    MoveBulkJobs(Database database) {
        this.database = database;
    }

    /** If it fails, the transaction stands as before. */
    void run(Connection connection, BulkKind kind, List<RoomCondition> rooms, List<Long> jobs) {
        String sql = database.sql(BulkBatchSql.moveThese(kind, rooms));
        try {
            Savepoint before = connection.setSavepoint();
            try {
                BulkBatchSql.ofThese(connection, sql, jobs).only(row -> row.getLong(1));
                BulkBatchSql.checkNow(connection);
                connection.releaseSavepoint(before);
            } catch (SQLException e) {
                connection.rollback(before);
                if (EnsureDonePartitions.missing(e)) {
                    throw new IllegalStateException("done has no partition for today", e); // no job is to blame
                }
                throw e;
            }
        } catch (SQLException e) {
            throw database.translated(e);
        }
    }

    /** Names the jobs in the log. Returns why the last of them cannot be moved; null: there are none. */
    static @Nullable String tell(TakenAction action, Map<Long, RuntimeException> refused) {
        if (refused.isEmpty()) {
            return null;
        }
        RuntimeException last = List.copyOf(refused.values()).get(refused.size() - 1);
        log.warn(
                "bulk action {} passes over {} jobs: the server refuses each of them by itself, or takes too long. They stay as they are. Their ids: {}{}",
                action.id(),
                refused.size(),
                refused.keySet().stream().limit(NAMED).toList(),
                refused.size() > NAMED ? " and more" : "",
                last);
        return refusal(last);
    }

    /**
     * Why the server refuses a job, as the tables keep it: SQLSTATE and message, such as {@code P0001: not on Sundays}, and
     * nothing of what stands in the job.
     */
    private static String refusal(RuntimeException thrown) {
        Throwable cause = thrown instanceof DataAccessException access ? access.getMostSpecificCause() : thrown;
        if (!(cause instanceof SQLException sql) || sql.getSQLState() == null) {
            return cause.getClass().getName();
        }
        ServerErrorMessage server = cause instanceof PSQLException said ? said.getServerErrorMessage() : null;
        String message = server == null ? null : server.getMessage();
        if (message == null || sql.getSQLState().startsWith(QUOTES)) {
            return sql.getSQLState();
        }
        String text = sql.getSQLState() + ": " + message;
        return text.length() > LONGEST_REFUSAL ? text.substring(0, LONGEST_REFUSAL) : text;
    }
}
