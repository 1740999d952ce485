package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.internal.wake.InstantPeekSocketFactory;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Properties;
import javax.net.SocketFactory;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class DirectConnectionsTest {

    private final TestDatabase database;

    DirectConnectionsTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void connectionsBesideAPoolTakeNothingFromIt() throws SQLException {
        try (HikariDataSource pool = pool()) {
            DataSource direct = DirectConnections.besides(pool);

            try (Connection one = direct.getConnection();
                    Connection two = direct.getConnection()) {
                assertThat(one.isValid(5) && two.isValid(5)).isTrue();
                assertThat(pool.getHikariPoolMXBean()).isNull(); // not even opened
            }
        }
    }

    @Test
    void thePoolsDriverPropertiesAreKept() {
        try (HikariDataSource pool = pool()) {
            pool.addDataSourceProperty("ApplicationName", "shop");

            DataSource direct = DirectConnections.besides(pool);

            assertThat(JdbcClient.create(direct)
                            .sql("SHOW application_name")
                            .query(String.class)
                            .single())
                    .isEqualTo("shop");
        }
    }

    @Test
    void notificationsComeThroughSocketsThatDoNotDelayThem() {
        try (HikariDataSource pool = pool()) {
            assertThat(socketFactory(DirectConnections.besides(pool)))
                    .isEqualTo(InstantPeekSocketFactory.class.getName());
        }
    }

    @Test
    void theApplicationsOwnSocketsAreKept() {
        try (HikariDataSource pool = pool()) {
            pool.addDataSourceProperty("socketFactory", OwnSockets.class.getName());

            assertThat(socketFactory(DirectConnections.besides(pool))).isEqualTo(OwnSockets.class.getName());
        }
    }

    private static String socketFactory(DataSource direct) {
        Properties properties = ((SimpleDriverDataSource) direct).getConnectionProperties();
        return Objects.requireNonNull(properties).getProperty("socketFactory");
    }

    /** What an application may have told the driver to use. */
    public static final class OwnSockets extends SocketFactory {

        @Override
        public Socket createSocket() {
            return new Socket();
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void aPoolBehindAProxyIsFound() {
        try (HikariDataSource pool = pool()) {
            DataSource lazy = new LazyConnectionDataSourceProxy(pool);

            assertThat(DirectConnections.besides(lazy)).isNotSameAs(lazy).isNotSameAs(pool);
        }
    }

    @Test
    void whereNoOtherWayIsKnownThePoolIsUsedAndThatIsSaid(CapturedOutput output) {
        DataSource opaque = new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return database.dataSource().getConnection();
            }

            @Override
            public Connection getConnection(String username, String password) throws SQLException {
                return getConnection();
            }
        };

        assertThat(DirectConnections.besides(opaque)).isSameAs(opaque);
        assertThat(output).contains("two connections of the pool");
    }

    @Test
    void whereTheOtherWayDoesNotWorkThePoolIsUsed(CapturedOutput output) {
        try (HikariDataSource pool = pool()) {
            // A password that only the pool knows how to get.
            HikariDataSource tokens = new HikariDataSource() {
                @Override
                public String getPassword() {
                    return "stale";
                }
            };
            tokens.setJdbcUrl(pool.getJdbcUrl());
            tokens.setUsername("nobody");

            assertThat(DirectConnections.besides(tokens)).isSameAs(tokens);
            assertThat(output).contains("two connections of the pool");
        }
    }

    private HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.jdbcUrl());
        pool.setUsername(database.username());
        pool.setPassword(database.password());
        return pool;
    }
}
