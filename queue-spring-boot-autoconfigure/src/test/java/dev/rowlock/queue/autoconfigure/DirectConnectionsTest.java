package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
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
