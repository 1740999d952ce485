package dev.rowlock.queue.autoconfigure.connection;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.tomcat.jdbc.pool.PoolConfiguration;
import org.apache.tomcat.jdbc.pool.jmx.ConnectionPoolMBean;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.common.BaseDataSource;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * What a pool would do now to open a connection. Asked anew for each connection, because passwords and tokens change
 * while an application runs.
 *
 * @param way opens a connection with these properties, which hold user and password as well
 * @param properties of the driver
 * @param initStatements what the pool executes on each new connection
 * @param schema the connections' schema; null leaves the user's
 */
record ConnectionTarget(
        Way way,
        Properties properties,
        List<String> initStatements,
        @Nullable String schema) {

    ConnectionTarget {
        initStatements = List.copyOf(initStatements);
    }

    private static final String USER = "user";
    private static final String PASSWORD = "password";

    private static final boolean HIKARI = isPresent("com.zaxxer.hikari.HikariDataSource");
    private static final boolean TOMCAT = isPresent("org.apache.tomcat.jdbc.pool.DataSource");
    private static final boolean DBCP = isPresent("org.apache.commons.dbcp2.BasicDataSource");

    /** Opens a connection. */
    @FunctionalInterface
    interface Way {
        @Nullable
        Connection open(Properties properties) throws SQLException;
    }

    /** Throws an exception of any kind if it cannot be told from this pool how it connects. */
    static ConnectionTarget of(DataSource pool) throws SQLException {
        ConnectionTarget known = HIKARI ? Hikari.target(pool) : null;
        if (known == null && TOMCAT) {
            known = Tomcat.target(pool);
        }
        if (known == null && DBCP) {
            known = Dbcp.target(pool);
        }
        return known != null ? known : derived(pool);
    }

    /** Neither Spring's DataSources nor DriverManager opens it: they log the URL, which may hold a password. */
    Connection open(Properties with) throws SQLException {
        Connection connection = way.open(with);
        if (connection == null) {
            throw new SQLException("the driver does not take the pool's URL");
        }
        return connection;
    }

    private static ConnectionTarget derived(DataSource pool) throws SQLException {
        SimpleDriverDataSource shown = DataSourceBuilder.derivedFrom(pool)
                .type(SimpleDriverDataSource.class)
                .build();
        return byDriver(shown.getDriver(), shown.getUrl(), shown.getUsername(), shown.getPassword());
    }

    /** Knows nothing of a pool. */
    static ConnectionTarget of(String url, @Nullable String username, @Nullable String password) throws SQLException {
        return byDriver(null, url, username, password);
    }

    /** The same user and driver properties at another URL. */
    ConnectionTarget at(String url) throws SQLException {
        Driver driver = DriverManager.getDriver(url);
        return new ConnectionTarget(with -> driver.connect(url, with), properties, initStatements, schema);
    }

    /** Another user at the same place; what the pool does to each connection is left out. */
    ConnectionTarget as(String username, @Nullable String password) {
        Properties other = new Properties();
        other.putAll(properties);
        other.setProperty(USER, username);
        other.remove(PASSWORD);
        if (password != null) {
            other.setProperty(PASSWORD, password);
        }
        return new ConnectionTarget(way, other, List.of(), null);
    }

    private static ConnectionTarget byDriver(
            @Nullable Driver named, @Nullable String url, @Nullable String username, @Nullable String password)
            throws SQLException {
        if (url == null) {
            throw new SQLException("the pool shows no URL");
        }
        Driver driver = named != null ? named : DriverManager.getDriver(url);
        return new ConnectionTarget(
                with -> driver.connect(url, with), credentials(username, password), List.of(), null);
    }

    private static Properties credentials(@Nullable String username, @Nullable String password) {
        Properties properties = new Properties();
        if (username != null) {
            properties.setProperty(USER, username);
        }
        if (password != null) {
            properties.setProperty(PASSWORD, password);
        }
        return properties;
    }

    private static @Nullable Driver driver(@Nullable String className) {
        return className == null
                ? null
                : (Driver) BeanUtils.instantiateClass(
                        ClassUtils.resolveClassName(className, ConnectionTarget.class.getClassLoader()));
    }

    private static ConnectionTarget of(DataSource unpooled, @Nullable String username, @Nullable String password) {
        Way way = with -> with.getProperty(USER) == null
                ? unpooled.getConnection()
                : unpooled.getConnection(with.getProperty(USER), with.getProperty(PASSWORD));
        return new ConnectionTarget(way, credentials(username, password), List.of(), null);
    }

    private ConnectionTarget with(Properties more, List<String> statements, @Nullable String inSchema) {
        Properties all = new Properties();
        all.putAll(more);
        all.putAll(properties); // user and password are the pool's current ones
        return new ConnectionTarget(way, all, statements, inSchema);
    }

    private static List<String> statements(@Nullable String sql) {
        return sql != null && StringUtils.hasText(sql) ? List.of(sql) : List.of();
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, ConnectionTarget.class.getClassLoader());
    }

    // Each pool apart, because all are optional

    private static final class Hikari {

        static @Nullable ConnectionTarget target(DataSource pool) throws SQLException {
            HikariDataSource hikari =
                    DataSourceUnwrapper.unwrap(pool, HikariConfigMXBean.class, HikariDataSource.class);
            return hikari == null
                    ? null
                    : connecting(hikari)
                            .with(
                                    hikari.getDataSourceProperties(),
                                    statements(hikari.getConnectionInitSql()),
                                    hikari.getSchema());
        }

        private static ConnectionTarget connecting(HikariDataSource hikari) throws SQLException {
            Credentials credentials = hikari.getCredentialsProvider() != null
                    ? hikari.getCredentialsProvider().getCredentials()
                    : hikari.getCredentials();
            if (hikari.getDataSource() != null) {
                return of(hikari.getDataSource(), credentials.getUsername(), credentials.getPassword());
            }
            if (hikari.getJdbcUrl() == null) {
                // Made by the pool from data-source-class-name.
                DataSource made = (DataSource) hikari.unwrap(BaseDataSource.class);
                return of(made, credentials.getUsername(), credentials.getPassword());
            }
            return byDriver(
                    driver(hikari.getDriverClassName()),
                    hikari.getJdbcUrl(),
                    credentials.getUsername(),
                    credentials.getPassword());
        }
    }

    private static final class Tomcat {

        static @Nullable ConnectionTarget target(DataSource pool) throws SQLException {
            org.apache.tomcat.jdbc.pool.DataSource tomcat = DataSourceUnwrapper.unwrap(
                    pool, ConnectionPoolMBean.class, org.apache.tomcat.jdbc.pool.DataSource.class);
            if (tomcat == null) {
                return null;
            }
            PoolConfiguration settings = tomcat.getPoolProperties();
            ConnectionTarget target = settings.getDataSource() instanceof DataSource unpooled
                    ? of(unpooled, settings.getUsername(), settings.getPassword())
                    : byDriver(
                            driver(settings.getDriverClassName()),
                            settings.getUrl(),
                            settings.getUsername(),
                            settings.getPassword());
            Properties properties = settings.getDbProperties() != null ? settings.getDbProperties() : new Properties();
            return target.with(properties, statements(settings.getInitSQL()), null);
        }
    }

    private static final class Dbcp {

        static @Nullable ConnectionTarget target(DataSource pool) throws SQLException {
            BasicDataSource dbcp = DataSourceUnwrapper.unwrap(pool, BasicDataSource.class);
            return dbcp == null
                    ? null
                    : byDriver(driver(dbcp), dbcp.getUrl(), dbcp.getUsername(), dbcp.getPassword())
                            .with(properties(dbcp), dbcp.getConnectionInitSqls(), dbcp.getDefaultSchema());
        }

        private static @Nullable Driver driver(BasicDataSource dbcp) {
            return dbcp.getDriver() != null ? dbcp.getDriver() : ConnectionTarget.driver(dbcp.getDriverClassName());
        }

        /** It shows them to its own package only. */
        private static Properties properties(BasicDataSource dbcp) {
            Method getter = ReflectionUtils.findMethod(BasicDataSource.class, "getConnectionProperties");
            if (getter == null) {
                return new Properties();
            }
            ReflectionUtils.makeAccessible(getter);
            Object shown = ReflectionUtils.invokeMethod(getter, dbcp);
            return shown instanceof Properties properties ? properties : new Properties();
        }
    }
}
