package dev.rowlock.queue.internal.db;

import java.net.SocketTimeoutException;
import org.springframework.core.NestedExceptionUtils;

/**
 * How many rows one statement moves at most: fewer while so many take longer than {@code statement_timeout} of role or database
 * allows, or than we wait for an answer, because the same batch would only run out of time again. One thread.
 */
public final class BatchLimit {

    private static final String QUERY_CANCELED = "57014";

    private final int most;
    private int rows;

    public BatchLimit(int most) {
        this.most = most;
        this.rows = most;
    }

    public int rows() {
        return rows;
    }

    /** So many were moved in time. */
    public void worked() {
        rows = Math.min(most, rows + rows / 4 + 1);
    }

    /** So many were not moved. */
    public void failed(RuntimeException e) {
        if (outOfTime(e)) {
            rows = Math.max(1, rows / 2);
        }
    }

    /** Whether a statement took longer than it may, or than we wait for its answer. */
    public static boolean outOfTime(RuntimeException e) {
        return QUERY_CANCELED.equals(BatchSplitter.state(e))
                || NestedExceptionUtils.getMostSpecificCause(e) instanceof SocketTimeoutException;
    }
}
