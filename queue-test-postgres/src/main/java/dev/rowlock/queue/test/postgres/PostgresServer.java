package dev.rowlock.queue.test.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A running PostgreSQL server. Its user is a superuser. Thread-safe. */
public sealed interface PostgresServer extends AutoCloseable permits ContainerServer, EmbeddedServer, GivenServer {

    /** The URL of one of its databases, without user and password. Whether that exists is not checked. */
    String jdbcUrl(String database);

    String username();

    /** The password; empty where none is needed. */
    String password();

    /** A database that always exists: where to connect in order to create others. */
    String homeDatabase();

    /** Stops the server if we started it. Doing so twice does nothing. */
    @Override
    void close();

    /** Creates an empty database. The caller closes it, which drops it. */
    default TestDatabase newDatabase() {
        return TestDatabase.createOn(this);
    }

    /** Connects to one of its databases, anew each time, as a superuser. */
    default DataSource unpooled(String database) {
        return unpooled(database, username(), password());
    }

    /** The same as another role. */
    default DataSource unpooled(String database, String role, String password) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(jdbcUrl(database));
        dataSource.setUser(role);
        dataSource.setPassword(password);
        return dataSource;
    }

    /** The major version, as the server itself reports it. */
    default int version() {
        try (Connection connection = unpooled(homeDatabase()).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select current_setting('server_version_num')::int / 10000")) {
            row.next();
            return row.getInt(1);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot ask %s for its version".formatted(jdbcUrl(homeDatabase())), e);
        }
    }
}
