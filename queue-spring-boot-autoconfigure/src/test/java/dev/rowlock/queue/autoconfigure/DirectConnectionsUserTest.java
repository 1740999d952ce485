package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.ProxyConnection;
import com.zaxxer.hikari.util.Credentials;
import dev.rowlock.queue.autoconfigure.connection.DirectConnections;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The user and the settings of direct connections, and what is not logged about them. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class DirectConnectionsUserTest {

    private final TestDatabase database;
    private final List<String> roles = new ArrayList<>();

    DirectConnectionsUserTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void dropRoles() {
        roles.forEach(role ->
                JdbcClient.create(database.superuser()).sql("DROP ROLE " + role).update());
    }

    @Test
    void eachConnectionHasTheCurrentCredentialsOfThePool() throws SQLException {
        try (HikariDataSource pool = Pool.hikari(database)) {
            DataSource direct = DirectConnections.besides(pool);
            String after = role("after");

            assertThat(userOf(direct)).isEqualTo(database.username());
            pool.setCredentials(Credentials.of(after, "changed"));

            assertThat(userOf(direct)).isEqualTo(after);
        }
    }

    @Test
    void credentialsComeFromThePoolsProviderIfItHasOne() throws SQLException {
        try (HikariDataSource pool = Pool.hikari(database)) {
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
        try (HikariDataSource pool = Pool.hikari(database)) {
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
    void connectionsOfThePoolAreUsedIfTheServerRefusesDirectOnes(CapturedOutput output) throws SQLException {
        try (HikariDataSource pool = Pool.hikari(database)) {
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
    void noPasswordIsLoggedAtAnyLevel(CapturedOutput output) throws SQLException {
        LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
        LogLevel before = logging.getLoggerConfiguration("dev.rowlock").getConfiguredLevel();
        try (HikariDataSource pool = Pool.hikari(database)) {
            logging.setLogLevel("dev.rowlock", LogLevel.TRACE);
            logging.setLogLevel("org.springframework", LogLevel.TRACE);
            pool.setJdbcUrl(database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?")
                    + "options=-capplication_name%3Dsecret-in-url");

            DirectConnections.besides(pool).getConnection().close();

            assertThat(output).doesNotContain("secret-in-url");
        } finally {
            logging.setLogLevel("org.springframework", null);
            logging.setLogLevel("dev.rowlock", before); // other tests look for lines of this level
        }
    }

    private String role(String name) {
        String role = database.name() + "_" + name;
        JdbcClient.create(database.superuser())
                .sql("CREATE ROLE %s LOGIN PASSWORD 'changed' IN ROLE %s".formatted(role, database.username()))
                .update();
        roles.add(role);
        return role;
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
}
