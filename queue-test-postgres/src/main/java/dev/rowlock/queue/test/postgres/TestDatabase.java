package dev.rowlock.queue.test.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An empty database for one test class, test or application context, in which tests are an ordinary role: {@link #superuser()} may do what
 * that may not. Closing it closes its pool and drops it, together with whatever is still connected. Thread-safe.
 */
public final class TestDatabase implements AutoCloseable {

    private static final int POOL_SIZE = 10;
    private static final String CONNECTION_FAILED = "08";

    static final OpenDatabases OPEN = new OpenDatabases();

    private final PostgresServer server;
    private final String name;
    private final String username;
    private final String password;
    private @Nullable HikariDataSource pool;

    private TestDatabase(PostgresServer server, String name, String username, String password) {
        this.server = server;
        this.name = name;
        this.username = username;
        this.password = password;
    }

    static TestDatabase createOn(PostgresServer server) {
        TestDatabase database = create(server, "");
        OPEN.add(database.name);
        return database;
    }

    /**
     * A copy of a database to which nobody is connected, with the rights that tests have there.
     *
     * @param how the strategy, if the server knows any
     */
    static TestDatabase copyOn(PostgresServer server, TestDatabase original, String how) {
        TestDatabase database = make(server, " template " + original.name + how);
        OPEN.add(database.name);
        return database;
    }

    /** It stays until the JVM ends: the server does not wait for that. */
    static TestDatabase createForGoodOn(PostgresServer server) {
        TestDatabase database = create(server, "");
        ApplicationRole.of(server).keep(database);
        return database;
    }

    private static TestDatabase create(PostgresServer server, String how) {
        TestDatabase database = make(server, how);
        ApplicationRole.of(server).enter(database.name);
        return database;
    }

    private static TestDatabase make(PostgresServer server, String how) {
        // Several JVMs may share a given server, so a counter would not do.
        String name = "test_" + UUID.randomUUID().toString().replace("-", "").substring(0, 12);
        ApplicationRole role = ApplicationRole.of(server);
        try {
            AdminConnection.of(server).execute("create database " + name + how, role.mayCreateIn(name));
        } catch (SQLException e) {
            throw new IllegalStateException("cannot create database %s: %s".formatted(name, e.getMessage()), e);
        }
        return new TestDatabase(server, name, role.name(), role.password());
    }

    /** The same one, with a superuser in place of the ordinary role. */
    TestDatabase asSuperuser() {
        return new TestDatabase(server, name, server.username(), server.password());
    }

    public String name() {
        return name;
    }

    /** The URL without user and password. Other processes may use it. */
    public String jdbcUrl() {
        return server.jdbcUrl(name);
    }

    public String username() {
        return username;
    }

    public String password() {
        return password;
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
        return server.unpooled(name, username, password);
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
            AdminConnection.of(server).drop(name);
        } catch (SQLException e) {
            // A server that is gone took the database with it.
            if (e.getSQLState() == null || !e.getSQLState().startsWith(CONNECTION_FAILED)) {
                throw new IllegalStateException("cannot drop database %s: %s".formatted(name, e.getMessage()), e);
            }
        } finally {
            OPEN.remove(name);
        }
    }

    @Override
    public String toString() {
        return jdbcUrl();
    }
}
