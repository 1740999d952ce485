package dev.rowlock.queue.benchmark.stage;

import dev.rowlock.queue.benchmark.peer.Target;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A session that holds a snapshot, as a long report or a forgotten transaction does: no dead row can be removed meanwhile. */
public final class HeldSnapshot implements AutoCloseable {

    private final Connection connection;

    private HeldSnapshot(Connection connection) {
        this.connection = connection;
    }

    public static HeldSnapshot in(Target target) {
        try {
            Connection connection = target.unpooled().getConnection();
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT count(*) FROM pg_class");
            }
            return new HeldSnapshot(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try (connection) {
            connection.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
