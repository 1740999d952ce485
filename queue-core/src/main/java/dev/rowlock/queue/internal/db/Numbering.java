package dev.rowlock.queue.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sees to it that no id and no token comes twice, whatever the server has lost: the first that uses a server which has
 * recovered lets its sequences move on. See {@code v1/rooms.sql}. Refuses an old primary, once this process has seen the
 * one that took its place, and other databases than the first: nobody would run a job that lands there. Thread-safe.
 *
 * <p>A recovery ends all connections, so each is asked about once. A pooler between may hide that: then it is the next
 * heartbeat that notices.
 */
public final class Numbering {

    private static final Logger log = LoggerFactory.getLogger(Numbering.class);

    private static final String LOOK =
            "SELECT numbered, server, timeline, current_database() FROM rowlock.server_standing()";

    private static final String SKIP = "SELECT rowlock.skip_lost_numbers()";

    /** Reads which server this is, and whether its sequences have moved on since it recovered. */
    private final String look;

    private final String skip;
    private final Map<Connection, Boolean> checked = Collections.synchronizedMap(new WeakHashMap<>());
    private final Map<Long, Integer> newest = new ConcurrentHashMap<>(); // timelines by server
    private final AtomicBoolean refused = new AtomicBoolean();
    private final AtomicReference<@Nullable String> database = new AtomicReference<>();

    /** What a server says of itself. */
    private record Standing(boolean numbered, long server, int timeline, String database) {}

    public Numbering(Schema schema) {
        this.look = schema.sql(LOOK);
        this.skip = schema.sql(SKIP);
    }

    /** Returns when numbers that are drawn on this connection are new. Fails on a standby and on an old primary. */
    public void check(Connection connection) throws SQLException {
        Connection physical =
                connection.isWrapperFor(BaseConnection.class) ? connection.unwrap(BaseConnection.class) : connection;
        if (!checked.containsKey(physical)) {
            checkNow(connection);
            checked.put(physical, true);
        }
    }

    /** The same, also on a connection that was asked about before: a pooler may have put another server behind it. */
    public void checkNow(Connection connection) throws SQLException {
        Standing standing = standing(connection);
        refuseOther(standing);
        refuseOld(standing);
        if (!standing.numbered() && skipped(connection)) {
            log.info(
                    "the database has recovered from a crash, or another server took over: ids and tokens go on a billion higher or more, so that none comes twice");
        }
    }

    /**
     * As where an application has a database for each tenant, and shows Rowlock the transaction of one. Which database is
     * ours is never learned there, but from a connection of our own, such as the first heartbeat's.
     */
    private void refuseOther(Standing standing) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            database.compareAndSet(null, standing.database());
        }
        String ours = database.get();
        if (ours != null && !standing.database().equals(ours)) {
            throw new IllegalStateException(
                    "this connection leads to database '%s', and Rowlock works in '%s': no node would look for the job. Enqueue outside of the transaction (REQUIRES_NEW of Rowlock's own transaction manager), or build a Rowlock for each database"
                            .formatted(standing.database(), ours));
        }
    }

    private void refuseOld(Standing standing) throws OldPrimaryException {
        int seen = newest.merge(standing.server(), standing.timeline(), Math::max);
        if (standing.timeline() >= seen) {
            return;
        }
        OldPrimaryException refusal = new OldPrimaryException(standing.timeline(), seen);
        if (refused.compareAndSet(false, true)) {
            log.error("{}", refusal.getMessage());
        }
        throw refusal;
    }

    private Standing standing(Connection connection) throws SQLException {
        return ColdStatement.on(connection, TimeLimit.before(connection, look))
                .only(row -> new Standing(row.getBoolean(1), row.getLong(2), row.getInt(3), row.getString(4)));
    }

    private boolean skipped(Connection connection) throws SQLException {
        return ColdStatement.on(connection, TimeLimit.before(connection, skip)).only(row -> row.getBoolean(1));
    }

    /** A connection leads to a server whose place another one has taken. */
    static final class OldPrimaryException extends SQLNonTransientConnectionException {

        private static final long serialVersionUID = 1L;

        /** SQLSTATE: the server rejects the connection. */
        private static final String REJECTED = "08004";

        OldPrimaryException(int timeline, int newest) {
            super(
                    "this server is an old primary: it is on timeline %d, and this process has seen timeline %d of the same database. Nothing is enqueued, claimed or beaten there. Stop the old primary, or take it out of the URL; if timeline %d is gone for good, restart this process"
                            .formatted(timeline, newest, newest),
                    REJECTED);
        }
    }
}
