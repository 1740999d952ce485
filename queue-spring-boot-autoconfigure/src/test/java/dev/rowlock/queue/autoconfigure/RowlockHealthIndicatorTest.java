package dev.rowlock.queue.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.test.postgres.PostgresServer;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.test.postgres.TestPostgres;
import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.jdbc.core.simple.JdbcClient;

@PostgresTest(freshPerTest = true, migrated = true)
class RowlockHealthIndicatorTest {

    private final TestDatabase database;

    RowlockHealthIndicatorTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void aNodeThatWorksIsUp() {
        Contexts.on(database).withBean(Greeter.class).run(context -> {
            Health health =
                    requireNonNull(context.getBean(HealthIndicator.class).health());

            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry("schema", "rowlock")
                    .containsEntry("database", true)
                    .containsEntry("beats", true)
                    .containsEntry("records", true)
                    .containsEntry("capacity", 10);
        });
    }

    @Test
    void anApplicationThatRunsNoJobsIsUpWhileTheDatabaseAnswers() {
        Contexts.on(database).withPropertyValues("rowlock.worker.enabled=false").run(context -> {
            Health health =
                    requireNonNull(context.getBean(HealthIndicator.class).health());

            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsOnlyKeys("schema", "database");
        });
    }

    @Test
    void withoutItsDatabaseItIsDown() {
        Contexts.on(database)
                .withPropertyValues("spring.datasource.hikari.connection-timeout=300", "rowlock.worker.enabled=false")
                .run(context -> {
                    database.close();

                    Health health = requireNonNull(
                            context.getBean(HealthIndicator.class).health());

                    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                });
    }

    @Test
    void aNodeWhoseDatabaseIsAwayIsDownAndUpAgainWhenItIsBack() {
        JdbcClient elsewhere = superuserElsewhere();
        Contexts.on(database)
                .withPropertyValues("spring.datasource.hikari.connection-timeout=500", "rowlock.worker.heartbeat=200ms")
                .withBean(Greeter.class)
                .run(context -> {
                    HealthIndicator indicator = context.getBean(HealthIndicator.class);
                    await().until(() -> status(indicator).equals(Status.UP));

                    elsewhere
                            .sql("ALTER DATABASE %s ALLOW_CONNECTIONS false".formatted(database.name()))
                            .update();
                    elsewhere
                            .sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?")
                            .param(database.name())
                            .query()
                            .listOfRows();

                    await().untilAsserted(() -> assertThat(
                                    requireNonNull(indicator.health()).getDetails())
                            .containsEntry("database", false)
                            .containsEntry("beats", false));
                    assertThat(status(indicator)).isEqualTo(Status.DOWN);

                    elsewhere
                            .sql("ALTER DATABASE %s ALLOW_CONNECTIONS true".formatted(database.name()))
                            .update();
                    await().until(() -> status(indicator).equals(Status.UP));
                });
    }

    /** All nodes fail a beat while the server restarts: a probe that restarts them all would throw away what they have not written. */
    @Test
    void aNodeThatHasJustFailedToBeatIsUp() {
        JdbcClient elsewhere = superuserElsewhere();
        Contexts.on(database)
                .withPropertyValues(
                        "spring.datasource.hikari.connection-timeout=500",
                        "rowlock.worker.heartbeat=200ms",
                        "rowlock.worker.lease=10m")
                .withBean(Greeter.class)
                .run(context -> {
                    HealthIndicator indicator = context.getBean(HealthIndicator.class);
                    Rowlock rowlock = context.getBean(Rowlock.class);
                    await().until(() -> rowlock.status().sinceBeat() != null);

                    elsewhere
                            .sql("ALTER DATABASE %s ALLOW_CONNECTIONS false".formatted(database.name()))
                            .update();
                    elsewhere
                            .sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?")
                            .param(database.name())
                            .query()
                            .listOfRows();
                    await().until(() -> !rowlock.status().beats());

                    assertThat(requireNonNull(indicator.health()).getDetails()).containsEntry("beats", false);
                    assertThat(status(indicator)).isEqualTo(Status.UP);

                    elsewhere
                            .sql("ALTER DATABASE %s ALLOW_CONNECTIONS true".formatted(database.name()))
                            .update();
                });
    }

    @Test
    void aNodeAnswersThoughItsPoolHasNoConnectionToGive() {
        Contexts.on(database)
                .withPropertyValues(
                        "spring.datasource.hikari.connection-timeout=600000",
                        "spring.datasource.hikari.maximum-pool-size=2")
                .withBean(Greeter.class)
                .run(context -> {
                    HealthIndicator indicator = context.getBean(HealthIndicator.class);
                    try (Connection one = context.getBean(DataSource.class).getConnection();
                            Connection two = context.getBean(DataSource.class).getConnection()) {
                        assertThat(status(indicator)).isEqualTo(Status.UP);
                        assertThat(one).isNotSameAs(two);
                    }
                });
    }

    @Test
    void whoRunsNoJobsIsDownOnceItsPoolHasGivenNoConnectionForFiveSeconds() {
        Contexts.on(database)
                .withPropertyValues(
                        "rowlock.worker.enabled=false",
                        "spring.datasource.hikari.connection-timeout=600000",
                        "spring.datasource.hikari.maximum-pool-size=1")
                .run(context -> {
                    HealthIndicator indicator = context.getBean(HealthIndicator.class);
                    try (Connection taken = context.getBean(DataSource.class).getConnection()) {
                        assertThat(status(indicator)).isEqualTo(Status.DOWN);
                        assertThat(taken.isClosed()).isFalse();
                    }
                    await().until(() -> status(indicator).equals(Status.UP));
                });
    }

    private static Status status(HealthIndicator indicator) {
        return requireNonNull(indicator.health()).getStatus();
    }

    @Test
    void itCanBeTurnedOff() {
        Contexts.on(database)
                .withPropertyValues("management.health.rowlock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
    }

    private static JdbcClient superuserElsewhere() {
        PostgresServer server = TestPostgres.server();
        return JdbcClient.create(server.unpooled(server.homeDatabase()));
    }
}
