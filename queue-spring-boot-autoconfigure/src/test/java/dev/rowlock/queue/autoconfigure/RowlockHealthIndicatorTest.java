package dev.rowlock.queue.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

@PostgresTest(freshPerTest = true)
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
    void itCanBeTurnedOff() {
        Contexts.on(database)
                .withPropertyValues("management.health.rowlock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
    }
}
