package dev.rowlock.queue.test.postgres;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * Connects a Spring Boot test to an empty database; to be imported. Each application context gets its own, which ends
 * with the context. Where containers are used it is a container of its own, connected as applications do it.
 */
@TestConfiguration(proxyBeanMethods = false)
@Import({PostgresTestConfiguration.Container.class, PostgresTestConfiguration.Database.class})
public class PostgresTestConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresTestConfiguration.class);

    @TestConfiguration(proxyBeanMethods = false)
    @Conditional(UsesContainers.class)
    static class Container {

        @Bean
        @ServiceConnection
        PostgreSQLContainer postgres() {
            Selection selection = TestPostgres.selection();
            LOG.info(
                    "The application uses PostgreSQL in a container of {}: {}", selection.target(), selection.reason());
            return ContainerServer.container(selection.target());
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    @Conditional(UsesNoContainers.class)
    static class Database {

        @Bean
        TestDatabase testDatabase() {
            return TestPostgres.newDatabase();
        }

        @Bean
        JdbcConnectionDetails testDatabaseConnection(TestDatabase database) {
            return new Connection(database);
        }
    }

    private record Connection(TestDatabase database) implements JdbcConnectionDetails {

        @Override
        public String getJdbcUrl() {
            return database.jdbcUrl();
        }

        @Override
        public String getUsername() {
            return database.username();
        }

        @Override
        public String getPassword() {
            return database.password();
        }
    }

    static final class UsesContainers implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return TestPostgres.selection().kind() == Selection.Kind.CONTAINER;
        }
    }

    static final class UsesNoContainers implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return !new UsesContainers().matches(context, metadata);
        }
    }
}
