package dev.rowlock.queue.autoconfigure;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.internal.wake.InstantPeekSocketFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.ClassUtils;

/**
 * Opens connections to the database of a pool, outside the pool: for the lease, because an exhausted pool must not look
 * like a death, and for listening, because a pool would swallow what it hears.
 */
final class DirectConnections {

    private static final Logger log = LoggerFactory.getLogger(DirectConnections.class);

    private static final boolean HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", DirectConnections.class.getClassLoader());

    private DirectConnections() {}

    /** Returns the pool itself if no other way to its database can be told from it. */
    static DataSource besides(DataSource pool) {
        try {
            SimpleDriverDataSource direct = DataSourceBuilder.derivedFrom(pool)
                    .type(SimpleDriverDataSource.class)
                    .build();
            Properties properties = properties(pool);
            direct.setConnectionProperties(properties);
            requireConnection(direct);
            hastenNotifications(direct, properties);
            return direct;
        } catch (RuntimeException | SQLException e) {
            log.info(
                    "the heartbeat and the wake-ups use two connections of the pool: none can be opened beside it ({})",
                    e.getMessage());
            return pool;
        }
    }

    /** With the application's own sockets, or a driver that cannot see our classes, notifications take a millisecond longer. */
    private static void hastenNotifications(SimpleDriverDataSource direct, Properties properties) {
        if (properties.containsKey(InstantPeekSocketFactory.PROPERTY)) {
            return;
        }
        Properties hastened = new Properties();
        hastened.putAll(properties);
        hastened.put(InstantPeekSocketFactory.PROPERTY, InstantPeekSocketFactory.class.getName());
        direct.setConnectionProperties(hastened);
        try {
            requireConnection(direct);
        } catch (SQLException e) {
            direct.setConnectionProperties(properties);
            log.debug("the driver cannot use our sockets", e);
        }
    }

    private static void requireConnection(DataSource direct) throws SQLException {
        try (Connection connection = direct.getConnection()) {
            log.debug(
                    "connections beside the pool lead to {}",
                    connection.getMetaData().getURL());
        }
    }

    private static Properties properties(DataSource pool) {
        Properties properties = new Properties();
        Properties ofPool = HIKARI ? Hikari.properties(pool) : null;
        if (ofPool != null) {
            properties.putAll(ofPool);
        }
        // What the URL says goes before these.
        properties.putIfAbsent("tcpKeepAlive", "true");
        properties.putIfAbsent("connectTimeout", "10");
        properties.putIfAbsent("loginTimeout", "10");
        return properties;
    }

    /** Apart, because Hikari is optional. */
    private static final class Hikari {

        /** Driver properties such as those of TLS, which a derived DataSource would lose. */
        static @Nullable Properties properties(DataSource pool) {
            HikariDataSource hikari =
                    DataSourceUnwrapper.unwrap(pool, HikariConfigMXBean.class, HikariDataSource.class);
            return hikari == null ? null : hikari.getDataSourceProperties();
        }
    }
}
