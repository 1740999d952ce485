package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobFilter.Criterion;
import dev.rowlock.queue.search.SearchTimeoutException;
import dev.rowlock.queue.search.SearchesBusyException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.dao.DataAccessException;

/**
 * Runs a search so that it cannot hurt the queue: it only reads, takes one processor, and the server stops it after its time
 * limit. Few run at once, so that the pool has connections for jobs, and the server processors. It sees what the caller's
 * transaction sees if there is one, which goes on whatever becomes of the search.
 */
public final class BoundedSearch {

    /**
     * Limits the search that comes next in its transaction: in time, to one processor, and to reading. A shorter limit of the role's or the
     * caller's own holds. Plans are never compiled: that may take longer than a search.
     */
    private static final String LIMIT = """
            SELECT set_config('statement_timeout',
                              CASE WHEN own > interval '0' AND own < :millis * interval '1 ms' THEN current_setting('statement_timeout')
                                   ELSE :millis::text END, true),
                   set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true),
                   set_config('transaction_read_only', 'on', true)
              FROM CAST(current_setting('statement_timeout') AS interval) AS own
            """;

    /** Tells the database's time so long ago. */
    private static final String AGO = "SELECT statement_timestamp() - :millis * interval '1 ms'";

    private static final String CANCELLED = "57014";

    /** So many searches of this process run at once. */
    static final int AT_ONCE = 2;

    /** So long others wait before they begin. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Database database;
    private final Duration limit;
    private final Semaphore turns = new Semaphore(AT_ONCE, true);

    public BoundedSearch(Database database, Duration limit) {
        this.database = database;
        this.limit = limit;
    }

    Database database() {
        return database;
    }

    /**
     * Runs one statement.
     *
     * @param what is looked for, for the error
     * @throws SearchTimeoutException if it takes too long
     * @throws SearchesBusyException if too many others run
     */
    public <T> T run(String what, Database.Call<T> call) {
        awaitTurn(what); // before it takes a connection
        try {
            return runNow(what, call);
        } finally {
            turns.release();
        }
    }

    private void awaitTurn(String what) {
        try {
            if (turns.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new SearchesBusyException(
                "searches are busy: %d run, and none of them ended within %d ms, so the search for %s has not begun. Try again, or narrow them"
                        .formatted(AT_ONCE, PATIENCE.toMillis(), what));
    }

    private <T> T runNow(String what, Database.Call<T> call) {
        try {
            TransactionStanding standing = database.standing();
            return database.joinedAtomically(
                    standing, connection -> standing.joins() ? aside(connection, call) : limited(connection, call));
        } catch (DataAccessException e) {
            if (CANCELLED.equals(stateOf(e))) {
                throw new SearchTimeoutException(
                        "the search for %s took longer than %d ms, or than a shorter statement_timeout of the transaction, so the database stopped it: narrow it by states, queue, type or a range of times (rowlock.search.time-limit sets the limit)"
                                .formatted(what, limit.toMillis()),
                        e);
            }
            throw e;
        }
    }

    /**
     * Runs one statement that has conditions of this filter.
     *
     * @throws SearchTimeoutException if it takes too long
     * @throws IllegalArgumentException if the filter's jsonpath is none, or it asks for what is encrypted
     */
    public <T> T run(JobFilter filter, Database.Call<T> call) {
        try {
            return run(filter.toString(), connection -> {
                SealedTexts.refuseSearch(database, connection, filter);
                return call.on(connection);
            });
        } catch (DataAccessException e) {
            throw understood(filter, e);
        }
    }

    /** What a statement with conditions of this filter failed of: of its jsonpath perhaps. */
    public static RuntimeException understood(JobFilter filter, DataAccessException e) {
        String state = stateOf(e);
        // Syntax, variables, values such as regular expressions, and conversions that need a time zone.
        return filter.text(Criterion.PAYLOAD) != null && state.matches("42601|42704|22...|0A000")
                ? new IllegalArgumentException(
                        "PostgreSQL does not accept the jsonpath %s: %s"
                                .formatted(
                                        filter.text(Criterion.PAYLOAD),
                                        Objects.requireNonNull(e.getMostSpecificCause())
                                                .getMessage()),
                        e)
                : e;
    }

    private static String stateOf(DataAccessException e) {
        return e.getMostSpecificCause() instanceof SQLException sql ? String.valueOf(sql.getSQLState()) : "";
    }

    /** In the caller's transaction: going back to a savepoint takes the settings back, and the error too. */
    private <T> T aside(Connection connection, Database.Call<T> call) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            return limited(connection, call);
        } finally {
            connection.rollback(before);
            connection.releaseSavepoint(before);
        }
    }

    private <T> T limited(Connection connection, Database.Call<T> call) throws SQLException {
        ColdStatement.on(connection, LIMIT).set("millis", limit.toMillis()).only(row -> true);
        return call.on(connection);
    }

    /**
     * By the server's clock, asked before a statement that compares times of done with it. What a statement finds out by itself only leaves out
     * partitions once it runs: by then it has been planned for all of them, and has locked them.
     */
    static OffsetDateTime ago(Connection connection, Duration time) throws SQLException {
        return ColdStatement.on(connection, AGO)
                .set("millis", time.toMillis())
                .only(row -> row.getObject(1, OffsetDateTime.class));
    }
}
