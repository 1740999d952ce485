package dev.rowlock.queue.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.autoconfigure.failure.NoDataSourceException;
import dev.rowlock.queue.schema.SchemaMissingException;
import dev.rowlock.queue.schema.UnsupportedDatabaseException;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.LifecycleProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@PostgresTest(freshPerTest = true)
@ExtendWith(OutputCaptureExtension.class)
class RowlockSchemaAutoConfigurationTest {

    private static final String H2 = "jdbc:h2:mem:schema;DB_CLOSE_DELAY=-1";

    private final TestDatabase database;
    private final ApplicationContextRunner contexts;
    private final JdbcClient jdbc;

    RowlockSchemaAutoConfigurationTest(TestDatabase database) {
        this.database = database;
        this.contexts = Contexts.on(database);
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    // Modes

    @Test
    void byDefaultTheTablesAreMade() {
        contexts.run(context -> assertThat(tables("rowlock")).contains("ready", "schema_history"));
    }

    @Test
    void resultsOfFunctionsInTheMigrationAreNotPrinted(CapturedOutput output) {
        LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
        logging.setLogLevel("org.flywaydb", LogLevel.INFO);
        try {
            contexts.run(context ->
                    assertThat(output).contains("Successfully applied ").doesNotContain("+--"));
        } finally {
            logging.setLogLevel("org.flywaydb", LogLevel.WARN);
        }
    }

    @Test
    void theSchemaMayHaveAnotherName() {
        contexts.withPropertyValues("rowlock.schema.name=jobs").run(context -> {
            context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("elsewhere"));

            assertThat(tables("jobs")).contains("ready");
            assertThat(tables("rowlock")).isEmpty();
        });
    }

    @Test
    void validateStopsTheStartWithoutTables() {
        contexts.withPropertyValues("rowlock.schema.mode=validate")
                .run(context ->
                        assertThat(context).getFailure().rootCause().isInstanceOf(SchemaMissingException.class));
    }

    @Test
    void validateAcceptsTheTablesThatMigrateMade() {
        contexts.run(context -> {});

        contexts.withPropertyValues("rowlock.schema.mode=validate")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void noneMakesNoTablesAndSaysThatTheyAreMissing(CapturedOutput output) {
        contexts.withPropertyValues("rowlock.schema.mode=none").run(context -> {
            assertThat(output).contains("finds no tables of Rowlock in schema 'rowlock'");
            assertThat(context).hasNotFailed();
            assertThat(tables("rowlock")).isEmpty();
        });
    }

    /** As when an image is built, with {@code -Dspring.context.exit=onRefresh}: beans are made, and nothing is started. */
    @Test
    void aTrainingRunNeedsNoDatabaseWhereNoTablesAreMadeOrChecked() {
        ApplicationContextRunner training = contexts.withPropertyValues(
                        "spring.datasource.url=jdbc:postgresql://127.0.0.1:1/none",
                        "spring.datasource.hikari.connection-timeout=250")
                .withBean(Greeter.class)
                .withBean("lifecycleProcessor", LifecycleProcessor.class, NothingStarts::new);

        training.withPropertyValues("rowlock.schema.mode=none")
                .run(context -> assertThat(context).hasNotFailed());
        training.withPropertyValues("rowlock.schema.mode=validate")
                .run(context -> assertThat(context).hasFailed());
    }

    private static final class NothingStarts implements LifecycleProcessor {

        @Override
        public void onRefresh() {}

        @Override
        public void onClose() {}

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    // Beside other migrations

    @Test
    void theApplicationsFlywayRunsFirstAndKeepsItsOwnHistory() {
        contexts.withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
                .withPropertyValues("spring.flyway.locations=classpath:shop/flyway")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(tables("public")).containsExactly("flyway_schema_history", "product");
                    assertThat(jdbc.sql("SELECT script FROM flyway_schema_history")
                                    .query(String.class)
                                    .list())
                            .containsExactly("V1__product.sql");
                    assertThat(tables("rowlock")).contains("ready");
                });
    }

    @Test
    void theApplicationsLiquibaseRunsFirst() {
        contexts.withConfiguration(AutoConfigurations.of(LiquibaseAutoConfiguration.class))
                .withPropertyValues("spring.liquibase.change-log=classpath:shop/liquibase/changelog.sql")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(tables("public")).contains("databasechangelog", "product");
                    assertThat(tables("rowlock")).contains("ready");
                });
    }

    @Test
    void theApplicationsLiquibaseAndScriptsOfOthersRunBesideEachOther() {
        contexts.withConfiguration(AutoConfigurations.of(LiquibaseAutoConfiguration.class))
                .withPropertyValues("spring.liquibase.change-log=classpath:shop/liquibase/changelog.sql")
                .withUserConfiguration(SessionTables.class)
                .withBean(Greeter.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(tables("public")).contains("databasechangelog", "product", "session");
                    context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("beside"));
                    assertThat(context.getBean(Greeter.class).nextCall()).isNotNull();
                });
    }

    /** As Spring Session makes its tables. */
    @Configuration(proxyBeanMethods = false)
    static class SessionTables {

        @Bean
        DataSourceScriptDatabaseInitializer sessionTables(DataSource dataSource) {
            DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
            settings.setSchemaLocations(List.of("classpath:shop/session.sql"));
            settings.setMode(DatabaseInitializationMode.ALWAYS);
            return new DataSourceScriptDatabaseInitializer(dataSource, settings);
        }
    }

    @Test
    void tablesThatNobodyMigratesDoNotMatter() {
        jdbc.sql("CREATE TABLE legacy (id bigint)").update();

        contexts.run(context -> assertThat(tables("rowlock")).contains("ready"));

        assertThat(tables("public")).containsExactly("legacy");
    }

    @Test
    void aJpaTransactionAndItsJobCommitOrRollBackTogether() {
        contexts.withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
                .withUserConfiguration(Entities.class)
                .withPropertyValues("spring.jpa.hibernate.ddl-auto=create", "rowlock.worker.enabled=false")
                .run(context -> {
                    Long kept = saveAndEnqueue(context, 1, false);
                    Long undone = saveAndEnqueue(context, 2, true);

                    JobSearch search = context.getBean(JobSearch.class);
                    assertThat(search.find(kept)).isPresent();
                    assertThat(search.find(undone)).isEmpty();
                    assertThat(jdbc.sql("SELECT id FROM widget")
                                    .query(Long.class)
                                    .list())
                            .containsExactly(1L);
                });
    }

    private static Long saveAndEnqueue(AssertableApplicationContext context, long id, boolean rollBack) {
        EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).execute(status -> {
            EntityManager entities = requireNonNull(EntityManagerFactoryUtils.getTransactionalEntityManager(factory));
            entities.persist(new Widget(id));
            if (rollBack) {
                status.setRollbackOnly();
            }
            return context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("saved"));
        });
    }

    // Which DataSource

    @Test
    void aMissingDataSourceStopsTheStart() {
        Contexts.withoutDataSource()
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(NoDataSourceException.class)
                        .hasMessageContaining("no DataSource"));
    }

    @Test
    void severalDataSourcesNeedAChoice() {
        Contexts.withoutDataSource()
                .withBean("one", DataSource.class, database::unpooled)
                .withBean("other", DataSource.class, database::unpooled)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(NoDataSourceException.class)
                        .hasMessageContaining("one")
                        .hasMessageContaining("other"));
    }

    @Test
    void thePrimaryDataSourceIsChosen() {
        Contexts.withoutDataSource()
                .withBean(TestDatabase.class, () -> database, definition -> {})
                .withUserConfiguration(PrimaryDataSource.class)
                .run(context ->
                        assertThat(context.getBean(Rowlock.class).dataSource()).isSameAs(context.getBean("main")));
    }

    @Test
    void theMarkedDataSourceIsChosenBeforeThePrimaryOne() {
        Contexts.withoutDataSource()
                .withBean(TestDatabase.class, () -> database, definition -> {})
                .withUserConfiguration(MarkedDataSource.class)
                .run(context -> {
                    assertThat(context.getBean(Rowlock.class).dataSource()).isSameAs(context.getBean("jobs"));
                    context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("marked"));
                });
    }

    @Test
    void anotherDatabaseThanPostgresqlIsRefused() {
        Contexts.withoutDataSource()
                .withBean(DataSource.class, RowlockSchemaAutoConfigurationTest::h2)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(UnsupportedDatabaseException.class)
                        .hasMessageContaining("H2"));
    }

    @Test
    void testSlicesThatUseNoJobsMayHaveAnotherDatabase() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RowlockSchemaAutoConfiguration.class))
                .withBean(DataSource.class, RowlockSchemaAutoConfigurationTest::h2)
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static DataSource h2() {
        HikariDataSource dataSource = new HikariDataSource();
        dataSource.setJdbcUrl(H2);
        return dataSource;
    }

    private List<String> tables(String schema) {
        return jdbc.sql("SELECT tablename::text FROM pg_tables WHERE schemaname = ? ORDER BY 1")
                .param(schema)
                .query(String.class)
                .list();
    }

    @Entity(name = "widget")
    static class Widget {
        @Id
        private Long id;

        protected Widget() {}

        Widget(Long id) {
            this.id = id;
        }
    }

    @AutoConfigurationPackage
    @Configuration(proxyBeanMethods = false)
    static class Entities {}

    @Configuration(proxyBeanMethods = false)
    static class PrimaryDataSource {

        @Bean
        @Primary
        DataSource main(TestDatabase database) {
            return database.unpooled();
        }

        @Bean
        DataSource other() {
            return h2();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedDataSource {

        @Bean
        @Primary
        DataSource main() {
            return h2();
        }

        @Bean
        @RowlockDataSource
        DataSource jobs(TestDatabase database) {
            return database.unpooled();
        }
    }
}
