package dev.rowlock.queue.autoconfigure.connection;

import dev.rowlock.queue.connection.InstantPeekSocketFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Opens connections to the database of a pool, outside the pool: for the lease, because an exhausted pool must not look
 * like a death, and for listening, because a pool would swallow what it hears.
 *
 * <p>Each connection is opened as the pool would open one at that moment, with its current password. Where that is
 * unknown or refused, it is one of the pool's own: a node must not lose its lease while its pool works. No URL, user or
 * password is logged.
 */
public final class DirectConnections extends AbstractDataSource {

    private static final Logger log = LoggerFactory.getLogger(DirectConnections.class);

    /** How long the server may take for each statement that prepares a connection. */
    private static final Duration PREPARED_WITHIN = Duration.ofSeconds(10);

    private enum Sockets {
        UNTRIED,
        WORK,
        REFUSED
    }

    private final DataSource pool;
    private final @Nullable String url;
    private final Duration preparedWithin;
    private volatile Sockets ours = Sockets.UNTRIED; // written by whoever opens a connection
    private volatile boolean lent; // the last connection was one of the pool's

    private DirectConnections(DataSource pool, @Nullable String url, Duration preparedWithin) {
        this.pool = pool;
        this.url = url;
        this.preparedWithin = preparedWithin;
    }

    /** Opens nothing yet. */
    public static DataSource besides(DataSource pool) {
        return besides(pool, null);
    }

    /** @param url leads to the same database past a pooler, which would swallow what is to be heard; null: the pool's own */
    public static DataSource besides(DataSource pool, @Nullable String url) {
        return besides(pool, url, PREPARED_WITHIN);
    }

    public static DataSource besides(DataSource pool, @Nullable String url, Duration preparedWithin) {
        return new DirectConnections(pool, url, preparedWithin);
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            Connection direct = open(target());
            lent = false;
            return direct;
        } catch (SQLException e) {
            if (unreachable(e)) {
                throw e; // for the pool as well, and it would keep us waiting
            }
            if (Thread.currentThread().isInterrupted()) {
                throw e; // the node stops: this says nothing of connections
            }
            return ofPool(Level.WARN, e);
        } catch (RuntimeException e) {
            return ofPool(Level.INFO, e); // nobody can tell how this pool connects
        }
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return pool.getConnection(username, password);
    }

    private ConnectionTarget target() throws SQLException {
        if (url == null) {
            return ConnectionTarget.of(pool);
        }
        ConnectionTarget ofPool;
        try {
            ofPool = ConnectionTarget.of(pool);
        } catch (RuntimeException e) {
            log.debug("cannot tell how the pool connects: the direct URL must name everything", e);
            return ConnectionTarget.of(url, null, null);
        }
        return ofPool.at(url);
    }

    /** SQLSTATE class 08: no connection; 57P: the server stops, crashes or starts. */
    private static boolean unreachable(SQLException e) {
        String state = e.getSQLState();
        return state != null && (state.startsWith("08") || state.startsWith("57P"));
    }

    private Connection ofPool(Level level, Exception why) throws SQLException {
        if (!lent) {
            log.atLevel(level)
                    .log(
                            "the heartbeat or the wake-ups use a connection of the pool: none can be opened beside it ({})",
                            reason(why));
        }
        lent = true;
        return pool.getConnection();
    }

    /** Messages of drivers may quote the URL; those of the server do not. */
    private static String reason(Exception e) {
        ServerErrorMessage server = e instanceof PSQLException refusal ? refusal.getServerErrorMessage() : null;
        String state = e instanceof SQLException sql && sql.getSQLState() != null ? " " + sql.getSQLState() : "";
        return server != null
                ? "%s: %s".formatted(state.strip(), server.getMessage())
                : e.getClass().getName() + state;
    }

    /** With the application's own sockets, or a driver that cannot see our classes, notifications take a millisecond longer. */
    private Connection open(ConnectionTarget target) throws SQLException {
        Properties properties = patient(target.properties());
        if (ours == Sockets.REFUSED || properties.containsKey(InstantPeekSocketFactory.PROPERTY)) {
            return prepared(target, target.open(properties));
        }
        Properties hastened = new Properties();
        hastened.putAll(properties);
        hastened.put(InstantPeekSocketFactory.PROPERTY, InstantPeekSocketFactory.class.getName());
        Connection connection;
        try {
            connection = target.open(hastened);
            ours = Sockets.WORK;
        } catch (SQLException e) {
            if (ours == Sockets.WORK) {
                throw e;
            }
            connection = target.open(properties);
            ours = Sockets.REFUSED;
            log.debug("the driver cannot use our sockets");
        }
        return prepared(target, connection);
    }

    private static Properties patient(Properties ofPool) {
        Properties properties = new Properties();
        properties.putAll(ofPool);
        // What the URL says goes before these.
        properties.putIfAbsent("tcpKeepAlive", "true");
        properties.putIfAbsent("connectTimeout", "10");
        properties.putIfAbsent("loginTimeout", "10");
        return properties;
    }

    /**
     * As the pool prepares its connections: with SET ROLE, say, without which the tables are out of reach. A statement that hangs
     * must not hold the heartbeat's thread: whoever gets the connection can set a time limit only afterwards.
     */
    private Connection prepared(ConnectionTarget target, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, (int) preparedWithin.toMillis());
            for (String sql : target.initStatements()) {
                statement.execute(sql);
            }
            if (target.schema() != null) {
                connection.setSchema(target.schema());
            }
            connection.setNetworkTimeout(Runnable::run, before);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }
}
