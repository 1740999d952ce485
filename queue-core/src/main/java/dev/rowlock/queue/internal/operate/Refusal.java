package dev.rowlock.queue.internal.operate;

import java.sql.SQLException;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.springframework.dao.DataAccessException;

/** Why the server refuses a job, as the tables keep it: nothing of what stands in the job. */
final class Refusal {

    private static final int LONGEST = 500;

    /** Data exceptions: the server's message quotes the value. */
    private static final String QUOTES = "22";

    private Refusal() {}

    /** SQLSTATE and message, such as {@code P0001: not on Sundays}. */
    static String text(RuntimeException refusal) {
        Throwable cause = refusal instanceof DataAccessException access ? access.getMostSpecificCause() : refusal;
        if (!(cause instanceof SQLException sql) || sql.getSQLState() == null) {
            return cause.getClass().getName();
        }
        ServerErrorMessage server = cause instanceof PSQLException said ? said.getServerErrorMessage() : null;
        String message = server == null ? null : server.getMessage();
        if (message == null || sql.getSQLState().startsWith(QUOTES)) {
            return sql.getSQLState();
        }
        String text = sql.getSQLState() + ": " + message;
        return text.length() > LONGEST ? text.substring(0, LONGEST) : text;
    }
}
