package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import tools.jackson.databind.json.JsonMapper;

/** What an application may do without. */
@Representative
@PostgresTest
class OptionalModulesTest {

    private final ApplicationContextRunner contexts;
    private final TestDatabase database;

    OptionalModulesTest(TestDatabase database) {
        this.database = database;
        this.contexts = Contexts.on(database);
    }

    @Test
    void theHealthModuleMayBeMissing() {
        contexts.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .run(context ->
                        assertThat(context).hasSingleBean(JobTemplate.class).doesNotHaveBean("rowlockHealthIndicator"));
    }

    @Test
    void theMetricsModulesMayBeMissing() {
        contexts.withClassLoader(new FilteredClassLoader("io.micrometer", "org.springframework.boot.micrometer"))
                .run(context -> assertThat(context).hasSingleBean(JobTemplate.class));
    }

    @Test
    void hikariMayBeMissing() {
        contexts.withClassLoader(new FilteredClassLoader("com.zaxxer.hikari"))
                .withBean(
                        DataSource.class,
                        () -> new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()))
                .withBean(Greeter.class)
                .run(context -> {
                    assertThat(context).doesNotHaveBean(HikariDataSource.class);

                    context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("no pool"));

                    assertThat(context.getBean(Greeter.class).nextCall()).isNotNull();
                });
    }

    @Test
    void theJacksonModuleOfBootMayBeMissing() {
        Contexts.withoutJackson(database)
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.jackson"))
                .run(context -> {
                    assertThat(context).doesNotHaveBean(JsonMapper.class);
                    assertThat(context.getBean(PayloadCodec.class).encode(new Greeter.Greeting("x")))
                            .isEqualTo("{\"text\":\"x\"}");
                });
    }
}
