package dev.rowlock.queue.test.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The connection by which this JVM creates and drops databases on a server. It stays open: a new one for each of them took half of the server's
 * processor time for a database. Thread-safe.
 */
final class AdminConnection {

    private static final Map<PostgresServer, AdminConnection> OF_SERVERS = new HashMap<>();

    private static final int SECONDS_TO_ANSWER = 5;

    /** A connection that was closed has left after a few of them. */
    private static final Duration PAUSE = Duration.ofMillis(2);

    private static final int PAUSES = 50;

    private final PostgresServer server;
    /** Guarded by this. */
    private @Nullable Connection connection;

    private AdminConnection(PostgresServer server) {
        this.server = server;
    }

    static AdminConnection of(PostgresServer server) {
        synchronized (OF_SERVERS) {
            return OF_SERVERS.computeIfAbsent(server, AdminConnection::new);
        }
    }

    synchronized void execute(String... each) throws SQLException {
        try (Statement statement = connected().createStatement()) {
            for (String sql : each) {
                statement.execute(sql);
            }
        }
    }

    /** Drops a database together with whatever is still connected to it. */
    synchronized void drop(String database) throws SQLException {
        awaitThatAllHaveLeft(database);
        execute("drop database if exists " + database + " with (force)");
    }

    /** If it finds somebody, DROP DATABASE looks again after a tenth of a second, though those whose connections were just closed leave at once. */
    private void awaitThatAllHaveLeft(String database) throws SQLException {
        for (int pauses = 0; pauses < PAUSES && isUsed(database); pauses++) {
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private boolean isUsed(String database) throws SQLException {
        try (PreparedStatement statement =
                connected().prepareStatement("select exists (select from pg_stat_activity where datname = ?)")) {
            statement.setString(1, database);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    private Connection connected() throws SQLException {
        if (connection != null && !connection.isValid(SECONDS_TO_ANSWER)) {
            connection.close(); // its server was stopped meanwhile
            connection = null;
        }
        if (connection == null) {
            connection = server.unpooled(server.homeDatabase()).getConnection();
        }
        return connection;
    }
}
