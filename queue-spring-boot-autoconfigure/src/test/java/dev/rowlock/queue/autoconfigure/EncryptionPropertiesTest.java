package dev.rowlock.queue.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.autoconfigure.failure.RowlockFailureAnalyzer;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.spi.EncryptionKeys;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.Base64;
import java.util.Map;
import org.assertj.core.util.Throwables;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.mock.env.MockEnvironment;

/** Keys come from properties or from a bean, and no error ever quotes one. */
@PostgresTest(freshPerTest = true, migrated = true)
class EncryptionPropertiesTest {

    private static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);
    private static final String SHORT = Base64.getEncoder().encodeToString("a short secret".getBytes());

    record Pay(String card) {}

    private final ApplicationContextRunner contexts;
    private final JdbcClient sql;

    EncryptionPropertiesTest(TestDatabase database) {
        this.contexts = Contexts.on(database).withUserConfiguration(Application.class);
        this.sql = JdbcClient.create(database.dataSource());
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @JobListener
        void pay(Pay payment) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Keys {

        @Bean
        EncryptionKeys keys() {
            return EncryptionKeys.of("of-a-bean", Map.of("of-a-bean", new byte[32]));
        }
    }

    private void assertRunsEncrypted(ApplicationContextRunner configured, String key) {
        configured.run(context -> {
            long id = context.getBean(JobOperations.class).enqueue(new Pay("4711"));

            Awaitility.await()
                    .until(() -> context.getBean(JobSearch.class)
                                    .find(id)
                                    .orElseThrow()
                                    .state()
                            == JobState.COMPLETED);
            assertThat(sql.sql("SELECT payload ->> '$enc' FROM rowlock.job_details WHERE id = ?")
                            .param(id)
                            .query(String.class)
                            .single())
                    .isEqualTo(key);
        });
    }

    @Test
    void keysComeFromProperties() {
        assertRunsEncrypted(
                contexts.withPropertyValues("rowlock.encryption.keys.k1=" + KEY, "rowlock.encryption.current=k1"),
                "k1");
    }

    @Test
    void keysComeFromABean() {
        assertRunsEncrypted(contexts.withUserConfiguration(Keys.class), "of-a-bean");
    }

    @Test
    void noneAsTheCurrentKeyOnlyDecrypts() {
        contexts.withPropertyValues("rowlock.encryption.keys.k1=" + KEY, "rowlock.encryption.current=none")
                .run(context -> {
                    context.getBean(JobOperations.class).enqueue(new Pay("4711"));

                    assertThat(sql.sql("SELECT payload ->> 'card' FROM rowlock.job_details")
                                    .query(String.class)
                                    .single())
                            .isEqualTo("4711");
                });
    }

    @Test
    void keysUnderOtherNamesAreNotQuotedEither() {
        assertNotQuoted("rowlock.encryption.key.k1=" + KEY);
        assertNotQuoted("rowlock.encyption.keys.k1=" + KEY);
        assertNotQuoted("rowlock.encryption.keys[K_1]=" + KEY, "rowlock.encryption.current=k2");
        assertNotQuoted("rowlock.encryption.keys.k1=" + KEY, "rowlock.encryption.current=" + KEY);
    }

    private void assertNotQuoted(String... properties) {
        MockEnvironment environment = new MockEnvironment();
        for (String property : properties) {
            environment.setProperty(
                    property.substring(0, property.indexOf('=')), property.substring(property.indexOf('=') + 1));
        }
        ConfigurationPropertySources.attach(environment);
        contexts.withPropertyValues(properties).run(context -> {
            Throwable failure = requireNonNull(context.getStartupFailure());
            FailureAnalysis analysis = requireNonNull(new RowlockFailureAnalyzer(environment).analyze(failure));

            assertThat(Throwables.getStackTrace(failure) + analysis.getDescription() + analysis.getAction())
                    .contains("rowlock.enc")
                    .doesNotContain(KEY);
        });
    }

    private void assertRefused(String message, String... properties) {
        MockEnvironment environment = new MockEnvironment();
        for (String property : properties) {
            environment.setProperty(
                    property.substring(0, property.indexOf('=')), property.substring(property.indexOf('=') + 1));
        }
        ConfigurationPropertySources.attach(environment);
        contexts.withPropertyValues(properties).run(context -> {
            Throwable failure = requireNonNull(context.getStartupFailure());
            FailureAnalysis analysis = requireNonNull(new RowlockFailureAnalyzer(environment).analyze(failure));

            assertThat(analysis.getDescription()).contains("rowlock.encryption: " + message);
            assertThat(analysis.getAction()).contains("rowlock.encryption.keys.k1 = ******");
            assertThat(Throwables.getStackTrace(failure) + analysis.getDescription() + analysis.getAction())
                    .doesNotContain(SHORT, KEY, "no-base-64!", "a short secret");
        });
    }

    @Test
    void badKeysStopTheStartAndAreNotQuoted() {
        assertRefused(
                "encryption key 'k1' has 14 bytes; it must have 32, for AES-256",
                "rowlock.encryption.keys.k1=" + SHORT,
                "rowlock.encryption.current=k1");
        assertRefused(
                "keys.k1, of 11 characters, is no base64: 'openssl rand -base64 32' makes a key",
                "rowlock.encryption.keys.k1=no-base-64!",
                "rowlock.encryption.current=k1");
        assertRefused(
                "the current encryption key 'k2' is not among the keys [k1]",
                "rowlock.encryption.keys.k1=" + KEY,
                "rowlock.encryption.current=k2");
        assertRefused(
                "there are keys, and current names none of them: set it to one of [k1], or to none to decrypt only",
                "rowlock.encryption.keys.k1=" + KEY);
    }

    @Test
    void aBeanBesidePropertiesStopsTheStart() {
        contexts.withUserConfiguration(Keys.class)
                .withPropertyValues("rowlock.encryption.keys.k1=" + KEY, "rowlock.encryption.current=k1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("only one of them could count"));
    }

    @Test
    void propertiesPrintNoKeys() {
        assertThat(new RowlockProperties.Encryption(Map.of("k1", KEY), "k1"))
                .hasToString("Encryption[keys=[k1], current=k1]");
    }
}
