package dev.rowlock.queue.chaos.worker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariCredentialsProvider;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.Set;
import javax.sql.DataSource;
import org.postgresql.Driver;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;

/** How a worker reaches the database: by its application's pool, and beside it. */
final class Connections {

    /** The application's. */
    static final int POOL = 6;

    /** An ordinary role. */
    private static final String USER = "app";

    private Connections() {}

    static HikariDataSource pool(WorkerOptions options) {
        Set<Trait> traits = options.traits();
        Properties properties = new Properties();
        // A handler's own statements are the application's to bound: without this, one whose peer has silently gone
        // waits for ever.
        properties.put("socketTimeout", "15");
        properties.put("ApplicationName", "pool-" + options.name());
        HikariConfig config = new HikariConfig();
        Login login = new Login(Trait.url(options.poolUrl(), traits), properties, options.password());
        if (traits.contains(Trait.SPRING_BOOT)) {
            // As applications have it: others can see how this pool connects, and do so beside it.
            config.setJdbcUrl(login.getUrl());
            config.setDataSourceProperties(properties);
            config.setCredentialsProvider(login);
        } else {
            config.setDataSource(login);
        }
        config.setMaximumPoolSize(POOL);
        config.setConnectionTimeout(5_000);
        config.setAutoCommit(!traits.contains(Trait.POOL_WITHOUT_AUTO_COMMIT));
        if (traits.contains(Trait.POOL_SERIALIZABLE)) {
            config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        } else if (!traits.contains(Trait.REPEATABLE_READ) && !traits.contains(Trait.SERIALIZABLE)) {
            // Said, not asked for: a pool whose first connection breaks while it asks never works again.
            config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        }
        config.setInitializationFailTimeout(-1); // may start while the database is away
        return new HikariDataSource(config);
    }

    /** With the settings that the auto-configuration gives to connections beside the pool. */
    static DataSource direct(WorkerOptions options) {
        Properties properties = new Properties();
        properties.put("tcpKeepAlive", "true");
        properties.put("connectTimeout", "10");
        properties.put("loginTimeout", "10");
        properties.put("ApplicationName", "direct-" + options.name());
        return new Login(Trait.url(options.directUrl(), options.traits()), properties, options.password());
    }

    /** Asks for the password at each login, as one does that rotates. */
    private static final class Login extends AbstractDriverBasedDataSource implements HikariCredentialsProvider {

        private final Path password;

        Login(String url, Properties properties, Path password) {
            this.password = password;
            setUrl(url);
            setConnectionProperties(properties);
        }

        @Override
        protected Connection getConnectionFromDriver(Properties properties) throws SQLException {
            Credentials now = getCredentials();
            properties.setProperty("user", now.getUsername());
            properties.setProperty("password", now.getPassword());
            Connection connection = new Driver().connect(String.valueOf(getUrl()), properties);
            if (connection == null) {
                throw new SQLException("the driver does not know " + getUrl());
            }
            return connection;
        }

        @Override
        public Credentials getCredentials() {
            if (!Files.exists(password)) {
                return Credentials.of(USER, "");
            }
            try {
                return Credentials.of(USER, Files.readString(password).trim());
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + password, e);
            }
        }
    }
}
