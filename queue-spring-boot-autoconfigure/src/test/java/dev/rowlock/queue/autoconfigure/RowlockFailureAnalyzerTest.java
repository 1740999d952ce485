package dev.rowlock.queue.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.autoconfigure.failure.RowlockFailureAnalyzer;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class RowlockFailureAnalyzerTest {

    private final TestDatabase database;
    private final ApplicationContextRunner contexts;

    RowlockFailureAnalyzerTest(TestDatabase database) {
        this.database = database;
        this.contexts = Contexts.on(database);
    }

    static class Twins {
        @JobListener
        void one(Greeter.Greeting greeting) {}

        @JobListener
        void two(Greeter.Greeting greeting) {}
    }

    static class Quarrel {
        record Other(String text) {}

        @JobListener(queue = "q", concurrency = "2")
        void one(Greeter.Greeting greeting) {}

        @JobListener(queue = "q", concurrency = "3")
        void two(Other other) {}
    }

    static class NoPayload {
        @JobListener
        void handle() {}
    }

    static class Transactional {
        @JobListener(transactional = true)
        void handle(Greeter.Greeting greeting) {}
    }

    @Test
    void duplicateListenersAreExplained() {
        assertAnalysis(contexts.withBean(Twins.class), "Twins.one(Greeting)", "@JobType");
    }

    @Test
    void aSignatureThatCannotWorkIsExplained() {
        assertAnalysis(contexts.withBean(NoPayload.class), "NoPayload.handle()", "Add a parameter");
    }

    @JobType(key = "acountId")
    record Misspelt(String accountId) {}

    static class MisspeltKey {
        @JobListener
        void handle(Misspelt job) {}
    }

    @Test
    void aKeyThatNamesNoPropertyOfThePayloadIsExplained() {
        assertAnalysis(
                contexts.withBean(MisspeltKey.class),
                "Misspelt names the key 'acountId', and the class has no property 'acountId'; it has [accountId]",
                "Correct the annotation");
    }

    @Test
    void listenersThatDisagreeAreExplained() {
        assertAnalysis(contexts.withBean(Quarrel.class), "queue 'q'", "Correct");
    }

    @Test
    void listenersThatDisagreeAreReconciledByTheProperty() {
        contexts.withBean(Quarrel.class)
                .withPropertyValues("rowlock.queues.q.concurrency=4")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aTransactionalListenerWithoutTransactionsIsExplained() {
        ApplicationContextRunner bare = Contexts.withoutDataSource().withBean(DataSource.class, database::unpooled);

        assertAnalysis(bare.withBean(Transactional.class), "no transaction manager", "PlatformTransactionManager");
    }

    @Test
    void aMissingDataSourceIsExplained() {
        assertAnalysis(Contexts.withoutDataSource(), "no DataSource", "spring.datasource.url");
    }

    @Test
    void aListenerInAChildOfRowlocksContextIsExplained() {
        contexts.run(parent -> assertAnalysis(
                new ApplicationContextRunner().withParent(parent).withBean(Greeter.class),
                "Greeter.greet(Greeting)",
                "parent context"));
    }

    @Test
    void aListenerInAChildConfiguredLikeItsParentIsExplained() {
        contexts.run(parent ->
                assertAnalysis(contexts.withParent(parent).withBean(Greeter.class), "nobody would run", "parent"));
    }

    @Test
    void severalDataSourcesAreExplained() {
        ApplicationContextRunner two = Contexts.withoutDataSource()
                .withBean("one", DataSource.class, database::unpooled)
                .withBean("other", DataSource.class, database::unpooled);

        assertAnalysis(two, "[one, other]", "@RowlockDataSource");
    }

    @Test
    void anotherDatabaseThanPostgresqlIsExplained() {
        ApplicationContextRunner h2 = Contexts.withoutDataSource()
                .withBean(DataSource.class, () -> new DriverManagerDataSource("jdbc:h2:mem:analyzer"));

        assertAnalysis(h2, "the database is H2", "PostgreSQL 14 or later");
    }

    @Test
    void missingTablesAreExplained() {
        assertAnalysis(
                contexts.withPropertyValues("rowlock.schema.mode=validate", "rowlock.schema.name=nowhere"),
                "no schema 'nowhere'",
                "rowlock.schema.mode=migrate");
    }

    @Test
    void tablesOfAnOlderReleaseAreExplained() {
        ApplicationContextRunner older = contexts.withPropertyValues("rowlock.schema.name=older");
        older.run(context -> assertThat(context).hasNotFailed());
        JdbcClient.create(database.dataSource())
                .sql("DELETE FROM older.schema_history WHERE version = '1'")
                .update();

        assertAnalysis(older.withPropertyValues("rowlock.schema.mode=validate"), "V1__tables.sql", "--from <version>");
    }

    @Test
    void tablesMadeByAnotherScriptAreExplained() {
        ApplicationContextRunner changed = contexts.withPropertyValues("rowlock.schema.name=changed");
        changed.run(context -> assertThat(context).hasNotFailed());
        JdbcClient.create(database.dataSource())
                .sql("UPDATE changed.schema_history SET checksum = 42 WHERE version = '1'")
                .update();

        assertAnalysis(changed, "V1__tables.sql", "deploy the build that made them");
    }

    @Test
    void aRoleThatMayNotMakeTablesIsExplained() {
        JdbcClient admin = JdbcClient.create(database.superuser());
        String role = database.name() + "_app";
        admin.sql("CREATE ROLE %s LOGIN PASSWORD 'pass'".formatted(role)).update();
        try {
            assertAnalysis(
                    contexts.withPropertyValues(
                            "spring.datasource.username=" + role,
                            "spring.datasource.password=pass",
                            "rowlock.schema.name=forbidden"),
                    "tables in schema 'forbidden'",
                    "CREATE SCHEMA <schema> AUTHORIZATION <role>");
        } finally {
            admin.sql("DROP ROLE " + role).update();
        }
    }

    @Test
    void aSettingThatIsNotAllowedIsExplained() {
        assertAnalysis(
                contexts.withPropertyValues("rowlock.worker.lease=2s"),
                "rowlock.worker: lease 2s must be at least 3 heartbeats",
                "Correct the property");
    }

    @Test
    void aSettingThatIsNotAllowedIsNamedWithTheFileAndTheLine(CapturedOutput output) {
        SpringApplication application = new SpringApplication(Shop.class);
        application.setWebApplicationType(WebApplicationType.NONE);

        assertThatThrownBy(() -> application.run(
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.config.location=classpath:shop/short-lease.yml"))
                .isInstanceOf(RuntimeException.class);

        assertThat(output)
                .contains("lease 2s must be at least 3 heartbeats")
                .contains("rowlock.worker.lease = 2s (class path resource [shop/short-lease.yml] - 3:12)");
    }

    @Test
    void bootPrintsTheAnalysis(CapturedOutput output) {
        SpringApplication application = new SpringApplication(Shop.class);
        application.setWebApplicationType(WebApplicationType.NONE);

        try {
            application
                    .run(
                            "--spring.datasource.url=" + database.jdbcUrl(),
                            "--spring.datasource.username=" + database.username(),
                            "--spring.datasource.password=" + database.password())
                    .close();
        } catch (RuntimeException e) {
            assertThat(output)
                    .contains("APPLICATION FAILED TO START")
                    .contains("two listeners take jobs of type 'Greeting'");
            return;
        }
        throw new AssertionError("it started");
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Twins.class)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        RowlockSchemaAutoConfiguration.class,
        RowlockAutoConfiguration.class,
        RowlockWorkerAutoConfiguration.class
    })
    static class Shop {}

    private static void assertAnalysis(ApplicationContextRunner contexts, String problem, String remedy) {
        contexts.run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = requireNonNull(
                    new RowlockFailureAnalyzer(null).analyze(requireNonNull(context.getStartupFailure())));
            assertThat(analysis.getDescription()).contains(problem);
            assertThat(analysis.getAction()).contains(remedy);
        });
    }
}
