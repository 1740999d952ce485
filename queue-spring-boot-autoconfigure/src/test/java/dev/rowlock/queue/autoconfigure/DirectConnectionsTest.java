package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.ProxyConnection;
import com.zaxxer.hikari.util.Credentials;
import dev.rowlock.queue.connection.InstantPeekSocketFactory;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.SocketFactory;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.core.PGStream;
import org.postgresql.core.QueryExecutorBase;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PgConnection;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
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
    void aDirectUrlIsUsedWithThePoolsCurrentUser() {
        try (HikariDataSource pool = pool()) {
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
    void notificationsComeThroughSocketsThatDoNotDelayThem() throws Exception {
        try (HikariDataSource pool = pool();
                Connection direct = DirectConnections.besides(pool).getConnection()) {
            assertThat(socket(direct).getClass().getEnclosingClass()).isEqualTo(InstantPeekSocketFactory.class);
        }
    }

    @Test
    void theApplicationsOwnSocketsAreKept() throws Exception {
        try (HikariDataSource pool = pool()) {
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
        try (HikariDataSource pool = pool();
                Connection direct = DirectConnections.besides(new LazyConnectionDataSourceProxy(pool))
                        .getConnection()) {
            assertThat(direct.isValid(5)).isTrue();
            assertThat(pool.getHikariPoolMXBean()).isNull();
        }
    }

    @Test
    void whereNoOtherWayIsKnownThePoolIsUsedAndThatIsSaid(CapturedOutput output) throws SQLException {
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
    void eachConnectionHasTheCredentialsThatThePoolHasThen() throws SQLException {
        try (HikariDataSource pool = pool()) {
            DataSource direct = DirectConnections.besides(pool);
            String after = role("after");

            assertThat(userOf(direct)).isEqualTo(database.username());
            pool.setCredentials(Credentials.of(after, "changed"));

            assertThat(userOf(direct)).isEqualTo(after);
        }
    }

    @Test
    void credentialsComeFromThePoolsProviderIfItHasOne() throws SQLException {
        try (HikariDataSource pool = pool()) {
            AtomicReference<Credentials> current = new AtomicReference<>(Credentials.of(role("first"), "changed"));
            pool.setCredentialsProvider(current::get);
            DataSource direct = DirectConnections.besides(pool);

            assertThat(userOf(direct)).isEqualTo(current.get().getUsername());
            current.set(Credentials.of(role("second"), "changed"));

            assertThat(userOf(direct)).isEqualTo(current.get().getUsername());
        }
    }

    @Test
    void theCredentialsOfOtherPoolsAreAskedForAsWell() throws SQLException {
        String after = role("tomcat");
        org.apache.tomcat.jdbc.pool.DataSource tomcat = new org.apache.tomcat.jdbc.pool.DataSource();
        tomcat.setUrl(database.jdbcUrl());
        tomcat.setUsername(database.username());
        tomcat.setPassword(database.password());
        tomcat.setInitSQL("SET ROLE " + database.username());
        tomcat.setConnectionProperties("ApplicationName=shop");
        DataSource direct = DirectConnections.besides(tomcat);
        try (Connection connection = direct.getConnection()) {
            assertThat(connection.isValid(5)).isTrue();
            assertThat(tomcat.getActive()).isZero();
        }
        tomcat.setUsername(after);
        tomcat.setPassword("changed");

        assertThat(sessionUserOf(direct)).isEqualTo(after);
        assertThat(userOf(direct)).isEqualTo(database.username());
        assertThat(setting(direct, "application_name")).isEqualTo("shop");
        tomcat.close();
    }

    @Test
    void connectionsAreMadeAsDbcpMakesThem() throws SQLException {
        try (BasicDataSource dbcp = new BasicDataSource()) {
            dbcp.setUrl(database.jdbcUrl());
            dbcp.setUsername(role("dbcp"));
            dbcp.setPassword("changed");
            dbcp.setConnectionInitSqls(List.of("SET ROLE " + database.username(), "SET work_mem = '5MB'"));
            dbcp.setDefaultSchema("pg_catalog");
            dbcp.setConnectionProperties("ApplicationName=shop");
            DataSource direct = DirectConnections.besides(dbcp);

            assertThat(userOf(direct)).isEqualTo(database.username());
            assertThat(setting(direct, "application_name")).isEqualTo("shop");
            assertThat(setting(direct, "work_mem")).isEqualTo("5MB");
            assertThat(setting(direct, "search_path")).contains("pg_catalog");
            try (Connection connection = direct.getConnection()) {
                assertThat(connection.isValid(5)).isTrue();
                assertThat(dbcp.getNumActive()).isZero();
            }
        }
    }

    @Test
    void connectionsArePreparedAsThePoolPreparesThem() throws SQLException {
        try (HikariDataSource pool = pool()) {
            pool.setUsername(role("login"));
            pool.setPassword("changed");
            pool.setConnectionInitSql("SET ROLE " + database.username());
            pool.setSchema("pg_catalog");
            DataSource direct = DirectConnections.besides(pool);

            assertThat(userOf(direct)).isEqualTo(database.username());
            assertThat(setting(direct, "search_path")).contains("pg_catalog");
        }
    }

    @Test
    void aPoolOfAnotherDataSourceIsGoneAround() throws SQLException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.unpooled());

            assertThat(userOf(DirectConnections.besides(pool))).isEqualTo(database.username());
            assertThat(pool.getHikariPoolMXBean()).isNull();
        }
    }

    @Test
    void aPoolOfTheDriversDataSourceIsGoneAround() throws SQLException {
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
    void whereTheServerRefusesThePoolsOwnConnectionsServe(CapturedOutput output) throws SQLException {
        try (HikariDataSource pool = pool()) {
            pool.getConnection().close();
            pool.setCredentials(Credentials.of("nobody", "secret-of-nobody"));
            DataSource direct = DirectConnections.besides(pool);

            try (Connection connection = direct.getConnection()) {
                assertThat(connection).isInstanceOf(ProxyConnection.class);
            }
            assertThat(output).contains("use a connection of the pool").doesNotContain("secret-of-nobody");

            pool.setCredentials(Credentials.of(database.username(), database.password()));
            try (Connection connection = direct.getConnection()) {
                assertThat(connection).isNotInstanceOf(ProxyConnection.class);
            }
        }
    }

    @Test
    void aServerThatIsAwayIsNotWaitedForInThePool() {
        try (HikariDataSource pool = pool()) {
            pool.setJdbcUrl("jdbc:postgresql://localhost:1/nowhere");

            assertThatThrownBy(() -> DirectConnections.besides(pool).getConnection())
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("refused");
            assertThat(pool.getHikariPoolMXBean()).isNull();
        }
    }

    @Test
    void noPasswordIsLoggedAtAnyLevel(CapturedOutput output) throws SQLException {
        LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
        try (HikariDataSource pool = pool()) {
            logging.setLogLevel("dev.rowlock", LogLevel.TRACE);
            logging.setLogLevel("org.springframework", LogLevel.TRACE);
            pool.setJdbcUrl(database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?")
                    + "options=-capplication_name%3Dsecret-in-url");

            DirectConnections.besides(pool).getConnection().close();

            assertThat(output).doesNotContain("secret-in-url");
        } finally {
            logging.setLogLevel("org.springframework", null);
            logging.setLogLevel("dev.rowlock", null);
        }
    }

    private String role(String name) {
        String role = database.name() + "_" + name;
        JdbcClient.create(database.dataSource())
                .sql("CREATE ROLE %s LOGIN PASSWORD 'changed' IN ROLE %s".formatted(role, database.username()))
                .update();
        roles.add(role);
        return role;
    }

    private final List<String> roles = new ArrayList<>();

    @AfterEach
    void dropRoles() {
        roles.forEach(role -> JdbcClient.create(database.dataSource())
                .sql("DROP ROLE " + role)
                .update());
    }

    private static String userOf(DataSource direct) throws SQLException {
        return query(direct, "SELECT current_user");
    }

    private static String sessionUserOf(DataSource direct) throws SQLException {
        return query(direct, "SELECT session_user");
    }

    private static String setting(DataSource direct, String name) throws SQLException {
        return query(direct, "SHOW " + name);
    }

    private static String query(DataSource direct, String sql) throws SQLException {
        try (Connection connection = direct.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
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
