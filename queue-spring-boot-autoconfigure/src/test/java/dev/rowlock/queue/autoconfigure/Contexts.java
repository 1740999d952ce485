package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.autoconfigure.endpoint.RowlockDoctorEndpointAutoConfiguration;
import dev.rowlock.queue.autoconfigure.endpoint.RowlockEndpointAutoConfiguration;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

/** Application contexts as Boot would make them. */
public final class Contexts {

    public static final AutoConfigurations ROWLOCK = AutoConfigurations.of(
            RowlockSchemaAutoConfiguration.class,
            RowlockAutoConfiguration.class,
            RowlockWorkerAutoConfiguration.class,
            RowlockHealthAutoConfiguration.class,
            RowlockMetricsAutoConfiguration.class,
            RowlockObservationAutoConfiguration.class,
            RowlockEndpointAutoConfiguration.class,
            RowlockDoctorEndpointAutoConfiguration.class);

    private Contexts() {}

    /** Rowlock with what the starter brings, on this database. */
    public static ApplicationContextRunner on(TestDatabase database) {
        return withoutJackson(database).withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class));
    }

    /** Rowlock with what the starter brings but Jackson's auto-configuration, on this database. */
    static ApplicationContextRunner withoutJackson(TestDatabase database) {
        return withoutDataSource()
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "spring.datasource.hikari.minimum-idle=0")
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        JdbcClientAutoConfiguration.class,
                        TransactionAutoConfiguration.class));
    }

    /** Rowlock alone. */
    static ApplicationContextRunner withoutDataSource() {
        return new ApplicationContextRunner().withConfiguration(ROWLOCK);
    }
}
