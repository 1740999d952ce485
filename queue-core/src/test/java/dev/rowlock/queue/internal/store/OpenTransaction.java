package dev.rowlock.queue.internal.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
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
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("commit")
                                || method.getName().equals("close")) {
                            return null;
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        @Override
        public Connection getConnection(String username, String password) {
            return getConnection();
        }
    }
}
