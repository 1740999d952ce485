package dev.rowlock.queue.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** A statement that has run and not yet committed: the first of two in a race. Closing it rolls back what is left. */
public final class OpenTransaction implements AutoCloseable {

    private final Connection connection;
    private final Database database;

    public OpenTransaction(Database original) throws SQLException {
        this.connection = original.dataSource().getConnection();
        this.connection.setAutoCommit(false);
        this.database = new Database(new Uncommitted(connection), original.schema());
    }

    /** What runs on it stays open. */
    public Database database() {
        return database;
    }

    public void commit() throws SQLException {
        connection.commit();
    }

    public void rollback() throws SQLException {
        connection.rollback();
    }

    @Override
    public void close() throws SQLException {
        connection.rollback();
        connection.setAutoCommit(true);
        connection.close();
    }

    private static final class Uncommitted extends AbstractDataSource {

        private final Connection connection;

        Uncommitted(Connection connection) {
            this.connection = connection;
        }

        @Override
        public Connection getConnection() {
            return Proxies.of(
                    Connection.class,
                    (proxy, method, arguments) -> Set.of("commit", "close").contains(method.getName())
                            ? null
                            : Proxies.call(connection, method, arguments));
        }

        @Override
        public Connection getConnection(String username, String password) {
            return getConnection();
        }
    }
}
