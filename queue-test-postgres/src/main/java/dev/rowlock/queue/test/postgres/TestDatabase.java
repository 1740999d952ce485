package dev.rowlock.queue.test.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An empty database for one test class, test or application context. Closing it closes its pool and drops it, together
 * with whatever is still connected. Thread-safe.
 */
public final class TestDatabase implements AutoCloseable {

    private static final int POOL_SIZE = 10;
    private static final String CONNECTION_FAILED = "08";

    static final OpenDatabases OPEN = new OpenDatabases();

    private final PostgresServer server;
    private final String name;
    private @Nullable HikariDataSource pool;

    private TestDatabase(PostgresServer server, String name) {
        this.server = server;
        this.name = name;
    }

    static TestDatabase createOn(PostgresServer server) {
        TestDatabase database = create(server, "");
        OPEN.add(database.name);
        return database;
    }

    /** A copy of a database to which nobody is connected. */
    static TestDatabase copyOn(PostgresServer server, String original) {
        TestDatabase database = create(server, " template " + original);
        OPEN.add(database.name);
        return database;
    }

    /** For somebody who closes it when the JVM ends: the server does not wait for that. */
    static TestDatabase createForGoodOn(PostgresServer server) {
        return create(server, "");
    }

    private static TestDatabase create(PostgresServer server, String how) {
        // Several JVMs may share a given server, so a counter would not do.
        String name = "test_" + UUID.randomUUID().toString().replace("-", "").substring(0, 12);
        try {
            execute(server, "create database " + name + how);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot create database %s: %s".formatted(name, e.getMessage()), e);
        }
        return new TestDatabase(server, name);
    }

    public String name() {
        return name;
    }

    /** The URL without user and password. Other processes may use it. */
    public String jdbcUrl() {
        return server.jdbcUrl(name);
    }

    public String username() {
        return server.username();
    }

    public String password() {
        return server.password();
    }

    /** A pool of at most 10 connections, opened as they are needed. Always the same one. */
    public synchronized DataSource dataSource() {
        if (pool == null) {
            pool = openPool();
        }
        return pool;
    }

    /** Opens a new connection each time. */
    public DataSource unpooled() {
        return server.unpooled(name);
    }

    /** Opens a new connection each time, as a role that may do everything: for what no application of users does. */
    public DataSource superuser() {
        return server.unpooled(name);
    }

    private HikariDataSource openPool() {
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setJdbcUrl(jdbcUrl());
        config.setUsername(username());
        config.setPassword(password());
        config.setMaximumPoolSize(POOL_SIZE);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    @Override
    public synchronized void close() {
        if (pool != null) {
            pool.close();
        }
        try {
            execute(server, "drop database if exists " + name + " with (force)");
        } catch (SQLException e) {
            // A server that is gone took the database with it.
            if (e.getSQLState() == null || !e.getSQLState().startsWith(CONNECTION_FAILED)) {
                throw new IllegalStateException("cannot drop database %s: %s".formatted(name, e.getMessage()), e);
            }
        } finally {
            OPEN.remove(name);
        }
    }

    private static void execute(PostgresServer server, String sql) throws SQLException {
        try (Connection connection = server.unpooled(server.homeDatabase()).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public String toString() {
        return jdbcUrl();
    }
}
