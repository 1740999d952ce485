package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

/** One role makes the tables; another, which may not make any, uses them. */
@PostgresTest(freshPerTest = true)
class OwnMigrationUserTest {

    private final TestDatabase database;
    private final JdbcClient admin;
    private final String owner;
    private final String application;

    OwnMigrationUserTest(TestDatabase database) {
        this.database = database;
        this.admin = JdbcClient.create(database.superuser());
        this.owner = database.name() + "_owner";
        this.application = database.name() + "_application";
    }

    @BeforeEach
    void makeRoles() {
        admin.sql("CREATE ROLE %s LOGIN PASSWORD 'owners'".formatted(owner)).update();
        admin.sql("GRANT CREATE ON DATABASE %s TO %s".formatted(database.name(), owner))
                .update();
        admin.sql("CREATE ROLE %s LOGIN PASSWORD 'applications' IN ROLE %s".formatted(application, owner))
                .update();
    }

    @AfterEach
    void dropRoles() {
        admin.sql("DROP OWNED BY %s, %s CASCADE".formatted(application, owner)).update();
        admin.sql("DROP ROLE %s, %s".formatted(application, owner)).update();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?ApplicationName=migration"})
    void theTablesBelongToTheUserThatMakesThem(String url) {
        ApplicationContextRunner contexts = Contexts.on(database)
                .withPropertyValues(
                        "spring.datasource.username=" + application,
                        "spring.datasource.password=applications",
                        "rowlock.schema.user=" + owner,
                        "rowlock.schema.password=owners");
        if (!url.isEmpty()) {
            contexts = contexts.withPropertyValues("rowlock.schema.url=" + urlWith(url));
        }

        contexts.withBean(Greeter.class).run(context -> {
            assertThat(ownersOfTables()).containsOnly(owner);
            context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("by another role"));
            assertThat(context.getBean(Greeter.class).nextCall()).isNotNull();
        });
    }

    private String urlWith(String more) {
        String url = database.jdbcUrl();
        return url.contains("?") ? url + '&' + more.substring(1) : url + more;
    }

    private java.util.List<String> ownersOfTables() {
        return admin.sql(
                        "SELECT tableowner::text FROM pg_tables WHERE schemaname = 'rowlock' AND tablename NOT LIKE 'done\\_%'")
                .query(String.class)
                .list();
    }
}
