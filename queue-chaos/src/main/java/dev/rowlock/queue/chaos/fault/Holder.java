package dev.rowlock.queue.chaos.fault;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** What keeps vacuum from removing dead rows. None of them locks a table or a row of the queue. */
enum Holder {
    /** As a report has it, or a dump: it goes on seeing what it has seen first. */
    SNAPSHOT(Connection.TRANSACTION_REPEATABLE_READ, "SELECT 1"),
    /** As of somebody who reads a long result bit by bit. */
    CURSOR(
            Connection.TRANSACTION_READ_COMMITTED,
            "DECLARE held CURSOR FOR SELECT generate_series(1, 1000000); FETCH 10 FROM held"),
    /** It has a number, as if it had written something, and sees nothing old itself: others do, because it has not ended. */
    TRANSACTION(Connection.TRANSACTION_READ_COMMITTED, "SELECT pg_current_xact_id()"),
    /** As of a transaction manager that has died between its two phases: it has no connection, and outlives the server. */
    PREPARED(
            Connection.TRANSACTION_READ_COMMITTED,
            "SELECT pg_current_xact_id(); PREPARE TRANSACTION '%s'".formatted(Holder.GID));

    static final String GID = "held";

    /** Forgets what was prepared, also by a call whose answer was lost. */
    static final String FORGET = "ROLLBACK PREPARED '%s'".formatted(GID);

    private final int isolation;
    private final String statements;

    Holder(int isolation, String statements) {
        this.isolation = isolation;
        this.statements = statements;
    }

    /** Whether it goes on without its connection. */
    boolean outlivesItsConnection() {
        return this == PREPARED;
    }

    /** Begins on this connection, which stays in the transaction. */
    void begin(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(isolation);
        try (Statement statement = connection.createStatement()) {
            statement.execute(statements);
        }
    }
}
