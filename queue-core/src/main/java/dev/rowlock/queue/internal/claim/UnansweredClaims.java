package dev.rowlock.queue.internal.claim;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The claims that were sent to the server and are not answered yet. Thread-safe. */
public final class UnansweredClaims {

    private static final Logger log = LoggerFactory.getLogger(UnansweredClaims.class);

    private static final String QUERY_CANCELED = "57014";

    private final Set<Statement> statements = ConcurrentHashMap.newKeySet();
    private volatile boolean cancelled;

    /** This one is about to be sent. Fails if all were cancelled. */
    void begin(Statement statement) throws SQLException {
        statements.add(statement);
        if (cancelled) { // looked at only now: either this sees it, or whoever cancels sees the statement
            statements.remove(statement);
            throw new SQLException("the node stops and claims nothing more", QUERY_CANCELED);
        }
    }

    void end(Statement statement) {
        statements.remove(statement);
    }

    /** Whether there are any. */
    public boolean any() {
        return !statements.isEmpty();
    }

    /** Cancels them: they fail, unless they have just been committed. Further ones fail at once. */
    public void cancel() {
        cancelled = true;
        for (Statement statement : statements) {
            try {
                statement.cancel();
            } catch (SQLException e) {
                log.debug("a claim cannot be cancelled; what it brings goes back", e);
            }
        }
    }
}
