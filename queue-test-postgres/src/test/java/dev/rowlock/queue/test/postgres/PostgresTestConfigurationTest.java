package dev.rowlock.queue.test.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.testcontainers.postgresql.PostgreSQLContainer;

@Representative
@SpringBootTest(classes = PostgresTestConfigurationTest.Application.class)
@Import(PostgresTestConfiguration.class)
class PostgresTestConfigurationTest {

    @Test
    void theApplicationsPoolLeadsToAnEmptyDatabase(
            @Autowired DataSource source, @Autowired JdbcConnectionDetails details) throws SQLException {
        assertThat(Sql.run(source, "select count(*) from pg_class where relnamespace = 'public'::regnamespace"))
                .isEqualTo("0");
        assertThat(details.getJdbcUrl()).contains(Sql.run(source, "select current_database()"));
    }

    @Test
    void theDatabaseIsAContainerOfItsOwnIfContainersAreUsed(@Autowired ObjectProvider<PostgreSQLContainer> containers) {
        boolean expected = TestPostgres.selection().kind() == Selection.Kind.CONTAINER;

        assertThat(containers.getIfAvailable() != null).isEqualTo(expected);
    }

    @Nested
    @TestPropertySource(properties = "another=context")
    class AnotherContext {

        @Test
        void hasAnotherDatabase(@Autowired DataSource source) throws SQLException {
            Sql.run(source, "create table only_here ()");

            assertThat(Sql.run(source, "select to_regclass('only_here')")).isEqualTo("only_here");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
