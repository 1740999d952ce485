package dev.rowlock.sample.postgres;

import dev.rowlock.sample.SampleProperties;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Connects the application to the sample's own server unless there is another database. An auto-configuration, so that
 * it comes after the connections that tests define and before Boot asks for one.
 */
@AutoConfiguration(before = DataSourceAutoConfiguration.class)
@Conditional(EmbeddedPostgresAutoConfiguration.NoDatabaseGiven.class)
class EmbeddedPostgresAutoConfiguration {

    /** Closed after everything that uses the database, because the pool depends on it. */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean(JdbcConnectionDetails.class)
    SharedServer embeddedPostgres(SampleProperties properties) {
        return SharedServer.join(
                properties.postgres().dataDir(), properties.postgres().port());
    }

    static final class NoDatabaseGiven extends NoneNestedConditions {

        NoDatabaseGiven() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty("spring.datasource.url")
        static final class UrlGiven {}
    }
}
