package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.test.postgres.PostgresTestConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

/** In an application's {@code @JdbcTest} the tables are there, and nothing runs. */
@JdbcTest
@Import(PostgresTestConfiguration.class)
@TestPropertySource(properties = {"spring.test.database.replace=none", "spring.liquibase.enabled=false"})
class JdbcSliceTest {

    @Autowired
    JdbcClient jdbc;

    @Autowired
    ObjectProvider<JobOperations> operations;

    @Test
    void theTablesAreThere() {
        assertThat(jdbc.sql("SELECT count(*) FROM rowlock.ready")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void nothingRuns() {
        assertThat(operations.getIfAvailable()).isNull();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}
}
