package dev.rowlock.queue.autoconfigure.connection;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Connections that make and upgrade the tables: of a user or to a URL of their own, outside the pool. */
public final class SchemaConnections extends AbstractDataSource {

    private final DataSource pool;
    private final @Nullable String url;
    private final @Nullable String user;
    private final @Nullable String password;

    private SchemaConnections(DataSource pool, @Nullable String url, @Nullable String user, @Nullable String password) {
        this.pool = pool;
        this.url = url;
        this.user = user;
        this.password = password;
    }

    /** The pool itself, unless there is a URL or a user. */
    public static DataSource of(
            DataSource pool, @Nullable String url, @Nullable String user, @Nullable String password) {
        return url == null && user == null ? pool : new SchemaConnections(pool, url, user, password);
    }

    @Override
    public Connection getConnection() throws SQLException {
        ConnectionTarget target = target();
        return target.open(target.properties());
    }

    private ConnectionTarget target() throws SQLException {
        if (url != null && user != null) {
            return ConnectionTarget.of(url, user, password);
        }
        ConnectionTarget ofPool;
        try {
            ofPool = ConnectionTarget.of(pool);
        } catch (RuntimeException e) {
            throw new SQLException(
                    "it cannot be told how the DataSource connects: set both rowlock.schema.url and rowlock.schema.user",
                    e);
        }
        if (user != null) {
            return ofPool.as(user, password);
        }
        return url != null ? ofPool.at(url) : ofPool;
    }

    @Override
    public Connection getConnection(String username, String secret) throws SQLException {
        throw new UnsupportedOperationException("the tables are made by one user");
    }
}
