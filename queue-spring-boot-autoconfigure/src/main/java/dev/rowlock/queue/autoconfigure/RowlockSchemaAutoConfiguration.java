package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.autoconfigure.connection.SchemaConnections;
import dev.rowlock.queue.autoconfigure.failure.NoDataSourceException;
import dev.rowlock.queue.autoconfigure.property.QueueVariables;
import dev.rowlock.queue.autoconfigure.property.UnknownProperties;
import java.util.Arrays;
import java.util.Set;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.ConfigurableEnvironment;

/** Chooses the database, and makes or checks the tables. Also part of JDBC test slices. */
@AutoConfiguration(after = DataSourceAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "rowlock.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RowlockProperties.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
@ImportRuntimeHints(RowlockRuntimeHints.class)
public final class RowlockSchemaAutoConfiguration {

    /** The dashboard is a module of its own, and what is set for it may be there without it. */
    @Bean
    static UnknownProperties rowlockUnknownProperties(ConfigurableEnvironment environment) {
        return new UnknownProperties("rowlock", RowlockProperties.class, environment, Set.of("dashboard"));
    }

    @Bean
    static QueueVariables rowlockQueueVariables(ConfigurableEnvironment environment) {
        return new QueueVariables(environment, RowlockProperties.Queue.class);
    }

    @Bean
    @ConditionalOnMissingBean
    JobDataSource rowlockJobDataSource(
            ObjectProvider<DataSource> dataSources,
            @RowlockDataSource ObjectProvider<DataSource> marked,
            ListableBeanFactory beans) {
        DataSource chosen = marked.getIfAvailable(dataSources::getIfUnique);
        if (chosen == null) {
            throw new NoDataSourceException(Arrays.asList(beans.getBeanNamesForType(DataSource.class)));
        }
        return new JobDataSource(chosen);
    }

    @Bean
    @ConditionalOnMissingBean
    RowlockSchemaInitializer rowlockSchemaInitializer(
            JobDataSource jobs, RowlockProperties properties, ListableBeanFactory beans) {
        RowlockProperties.SchemaProperties schema = properties.schema();
        boolean needed = beans.getBeanNamesForType(JobOperations.class, true, false).length > 0;
        return new RowlockSchemaInitializer(
                RowlockSettings.migrator(
                        properties,
                        SchemaConnections.of(jobs.dataSource(), schema.url(), schema.user(), schema.password())),
                schema.mode(),
                needed);
    }
}
