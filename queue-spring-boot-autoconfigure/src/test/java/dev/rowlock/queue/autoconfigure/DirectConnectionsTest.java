package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.ProxyConnection;
import com.zaxxer.hikari.util.Credentials;
import dev.rowlock.queue.autoconfigure.connection.DirectConnections;
import dev.rowlock.queue.connection.InstantPeekSocketFactory;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.net.SocketFactory;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.core.PGStream;
import org.postgresql.core.QueryExecutorBase;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PgConnection;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class DirectConnectionsTest {

    private final TestDatabase database;

    DirectConnectionsTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void connectionsBesideAPoolTakeNothingFromIt() throws SQLException {
        try (HikariDataSource pool = Pool.hikari(database)) {
            DataSource direct = DirectConnections.besides(pool);

            try (Connection one = direct.getConnection();
                    Connection two = direct.getConnection()) {
                assertThat(one.isValid(5) && two.isValid(5)).isTrue();
                assertThat(pool.getHikariPoolMXBean()).isNull(); // not even opened
            }
        }
    }

    @Test
    void aThreadThatIsInterruptedWhileItConnectsTakesNothingFromThePoolEither() {
        try (HikariDataSource pool = Pool.hikari(database)) {
            DataSource direct = DirectConnections.besides(pool);

            Thread.currentThread().interrupt();
            assertThatThrownBy(direct::getConnection).isInstanceOf(SQLException.class);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(pool.getHikariPoolMXBean()).isNull(); // not even opened
        }
    }

    @Test
    void aDirectUrlIsUsedWithThePoolsCurrentUser() {
        try (HikariDataSource pool = Pool.hikari(database)) {
            pool.setJdbcUrl("jdbc:postgresql://pooler.invalid/db");
            pool.addDataSourceProperty("ApplicationName", "shop");
            pool.setConnectionInitSql("SET statement_timeout = 4711");
            pool.setCredentials(Credentials.of(database.username(), database.password()));

            JdbcClient direct = JdbcClient.create(DirectConnections.besides(pool, database.jdbcUrl()));

            assertThat(direct.sql("SHOW application_name").query(String.class).single())
                    .isEqualTo("shop");
            assertThat(direct.sql("SHOW statement_timeout").query(String.class).single())
                    .isEqualTo("4711ms");
        }
    }

    @Test
    void theNodeBeatsAndListensByTheDirectUrl() {
        String direct = database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?") + "ApplicationName=direct";
        Contexts.on(database)
                .withPropertyValues("rowlock.worker.direct-url=" + direct)
                .withBean(Greeter.class)
                .run(context -> await().untilAsserted(() -> assertThat(
                                JdbcClient.create(context.getBean(DataSource.class))
                                        .sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'direct'")
                                        .query(Long.class)
                                        .single())
                        .isEqualTo(2)));
    }

    @Test
    void thePoolsDriverPropertiesAreKept() {
        try (HikariDataSource pool = Pool.hikari(database)) {
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
    void notificationsComeThroughSocketsThatDoNotDelayThem() throws Exception {
        try (HikariDataSource pool = Pool.hikari(database);
                Connection direct = DirectConnections.besides(pool).getConnection()) {
            assertThat(socket(direct).getClass().getEnclosingClass()).isEqualTo(InstantPeekSocketFactory.class);
        }
    }

    @Test
    void theApplicationsOwnSocketsAreKept() throws Exception {
        try (HikariDataSource pool = Pool.hikari(database)) {
            pool.addDataSourceProperty("socketFactory", OwnSockets.class.getName());

            try (Connection direct = DirectConnections.besides(pool).getConnection()) {
                assertThat(socket(direct).getClass()).isEqualTo(Socket.class);
            }
        }
    }

    private static Object socket(Connection connection) throws ReflectiveOperationException, SQLException {
        Object executor = connection.unwrap(PgConnection.class).getQueryExecutor();
        Field stream = QueryExecutorBase.class.getDeclaredField("pgStream");
        stream.setAccessible(true);
        return ((PGStream) stream.get(executor)).getSocket();
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
    void aPoolBehindAProxyIsFound() throws SQLException {
        try (HikariDataSource pool = Pool.hikari(database);
                Connection direct = DirectConnections.besides(new LazyConnectionDataSourceProxy(pool))
                        .getConnection()) {
            assertThat(direct.isValid(5)).isTrue();
            assertThat(pool.getHikariPoolMXBean()).isNull();
        }
    }

    @Test
    void thePoolIsUsedAndTheLogSaysSoIfNoOtherWayIsKnown(CapturedOutput output) throws SQLException {
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

        try (Connection connection = DirectConnections.besides(opaque).getConnection()) {
            assertThat(connection).isInstanceOf(ProxyConnection.class);
        }
        assertThat(output).contains("use a connection of the pool");
    }

    @Test
    void aPoolAroundAnotherDataSourceIsBypassed() {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.unpooled());

            JdbcClient direct = JdbcClient.create(DirectConnections.besides(pool));

            assertThat(direct.sql("SELECT current_user").query(String.class).single())
                    .isEqualTo(database.username());
            assertThat(pool.getHikariPoolMXBean()).isNull();
        }
    }

    @Test
    void aPoolAroundTheDriversDataSourceIsBypassed() throws SQLException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSourceClassName(PGSimpleDataSource.class.getName());
            pool.addDataSourceProperty("url", database.jdbcUrl());
            pool.setUsername(database.username());
            pool.setPassword(database.password());
            pool.getConnection().close();

            try (Connection direct = DirectConnections.besides(pool).getConnection()) {
                assertThat(direct).isNotInstanceOf(ProxyConnection.class);
            }
        }
    }

    @Test
    void aServerThatIsAwayIsNotWaitedForInThePool() {
        try (HikariDataSource pool = Pool.hikari(database)) {
            pool.setJdbcUrl("jdbc:postgresql://localhost:1/nowhere");

            assertThatThrownBy(() -> DirectConnections.besides(pool).getConnection())
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("refused");
            assertThat(pool.getHikariPoolMXBean()).isNull();
        }
    }

    @Test
    void aStatementThatPreparesAConnectionMayNotHang() throws SQLException {
        try (HikariDataSource pool = Pool.hikari(database)) {
            pool.setConnectionInitSql("SELECT pg_sleep(5)");
            DataSource direct = DirectConnections.besides(pool, null, Duration.ofMillis(300));

            assertThatThrownBy(direct::getConnection)
                    .isInstanceOf(SQLException.class)
                    .hasRootCauseInstanceOf(SocketTimeoutException.class);
            assertThat(pool.getHikariPoolMXBean()).isNull(); // which would hang as well
        }
    }

    @Test
    void aPreparedConnectionHasTheDriversOwnTimeLimitAgain() throws SQLException {
        try (HikariDataSource pool = Pool.hikari(database)) {
            pool.setConnectionInitSql("SELECT 1");
            pool.addDataSourceProperty("socketTimeout", "7");

            try (Connection direct = DirectConnections.besides(pool).getConnection()) {
                assertThat(direct.getNetworkTimeout()).isEqualTo(7_000);
            }
        }
    }
}
