package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.autoconfigure.failure.InvalidSettingException;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.settings.SearchSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

class RowlockPropertiesTest {

    @Test
    void theDefaultsAreThoseOfTheSettings() {
        RowlockProperties properties = bind(Map.of());

        LeaseSettings lease = RowlockSettings.lease(properties);

        assertThat(properties.enabled()).isTrue();
        assertThat(properties.worker().enabled()).isTrue();
        assertThat(properties.schema().mode()).isEqualTo(SchemaMode.MIGRATE);
        assertThat(properties.schema().name()).isEqualTo("rowlock");
        assertThat(RowlockSettings.worker(properties, false)).isEqualTo(WorkerSettings.DEFAULT);
        assertThat(lease).isEqualTo(LeaseSettings.defaults());
        assertThat(lease.nodeName()).endsWith("-" + ProcessHandle.current().pid());
        assertThat(RowlockSettings.retention(properties)).isEqualTo(RetentionSettings.DEFAULT);
        assertThat(RowlockSettings.search(properties)).isEqualTo(SearchSettings.DEFAULT);
        assertThat(RowlockSettings.retry(properties)).isEqualTo(RetryPolicy.DEFAULT);
        assertThat(properties.payload().maxSize().toBytes()).isEqualTo(1024 * 1024);
        assertThat(properties.notifications().enabled()).isTrue();
    }

    @Test
    void everythingCanBeSet() {
        RowlockProperties properties = bind(Map.ofEntries(
                Map.entry("rowlock.schema.name", "jobs"),
                Map.entry("rowlock.schema.mode", "validate"),
                Map.entry("rowlock.worker.concurrency", "3"),
                Map.entry("rowlock.worker.poll-interval", "2s"),
                Map.entry("rowlock.worker.prefetch-horizon", "0"),
                Map.entry("rowlock.worker.max-prefetch", "7"),
                Map.entry("rowlock.worker.drain-timeout", "5s"),
                Map.entry("rowlock.worker.lease", "12s"),
                Map.entry("rowlock.worker.heartbeat", "4s"),
                Map.entry("rowlock.worker.max-crashes", "9"),
                Map.entry("rowlock.worker.node-name", "left"),
                Map.entry("rowlock.retry.max-retries", "0"),
                Map.entry("rowlock.retry.initial-interval", "5s"),
                Map.entry("rowlock.retry.multiplier", "1"),
                Map.entry("rowlock.retry.max-interval", "5s"),
                Map.entry("rowlock.retry.jitter", "0"),
                Map.entry("rowlock.retention.done", "0"),
                Map.entry("rowlock.retention.dead", "30d"),
                Map.entry("rowlock.retention.audit", "400d"),
                Map.entry("rowlock.payload.max-size", "2KB"),
                Map.entry("rowlock.search.time-limit", "2s"),
                Map.entry("rowlock.notify.enabled", "false"),
                Map.entry("rowlock.queues.mail.concurrency", "4"),
                Map.entry("rowlock.queues[eu/orders].concurrency", "5")));

        WorkerSettings worker = RowlockSettings.worker(properties, true);

        assertThat(properties.schema().name()).isEqualTo("jobs");
        assertThat(properties.schema().mode()).isEqualTo(SchemaMode.VALIDATE);
        assertThat(worker.concurrency()).isEqualTo(3);
        assertThat(worker.fetch().pollInterval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(worker.fetch().prefetchHorizon()).isZero();
        assertThat(worker.fetch().maxPrefetch()).isEqualTo(7);
        assertThat(worker.drainTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(worker.virtualThreads()).isTrue();
        assertThat(worker.queues()).isEqualTo(Map.of("mail", 4, "eu/orders", 5));
        assertThat(RowlockSettings.lease(properties))
                .isEqualTo(new LeaseSettings("left", Duration.ofSeconds(12), Duration.ofSeconds(4), 9));
        assertThat(RowlockSettings.retry(properties))
                .isEqualTo(RetryPolicy.exponential(Duration.ofSeconds(5), 1, Duration.ofSeconds(5))
                        .jitter(0)
                        .maxRetries(0));
        assertThat(RowlockSettings.retention(properties))
                .isEqualTo(new RetentionSettings(Duration.ZERO, Duration.ofDays(30), Duration.ofDays(400)));
        assertThat(RowlockSettings.search(properties)).isEqualTo(new SearchSettings(Duration.ofSeconds(2)));
        assertThat(properties.payload().maxSize().toBytes()).isEqualTo(2048);
        assertThat(properties.notifications().enabled()).isFalse();
    }

    @Test
    void aTimeToGiveUpNeedsNoNumberOfRetries() {
        RowlockProperties properties = bind(Map.of("rowlock.retry.give-up-after", "7d"));

        assertThat(RowlockSettings.retry(properties)).isEqualTo(RetryPolicy.DEFAULT.giveUpAfter(Duration.ofDays(7)));
        assertThat(RowlockSettings.retry(properties).maxRetries()).isEqualTo(RetryPolicy.MAX_RETRIES);
    }

    @ParameterizedTest
    @CsvSource({
        "rowlock.schema.name, Jobs, rowlock.schema",
        "rowlock.worker.concurrency, 0, rowlock.worker",
        "rowlock.worker.lease, 2s, rowlock.worker",
        "rowlock.worker.poll-interval, 1ms, rowlock.worker",
        "rowlock.worker.drain-timeout, 2h, rowlock.worker",
        "rowlock.queues.mail.concurrency, 0, rowlock.worker",
        "rowlock.retry.multiplier, 0.5, rowlock.retry",
        "rowlock.retention.done, 1h, rowlock.retention",
        "rowlock.payload.max-size, 0B, rowlock.payload",
        "rowlock.search.time-limit, 30s, rowlock.search"
    })
    void aValueThatIsNotAllowedIsNamedWithItsLimit(String name, String value, String prefix) {
        RowlockProperties properties = bind(Map.of(name, value));

        assertThatThrownBy(() -> RowlockSettings.builder(properties, new DriverManagerDataSource(), false))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith(prefix + ": ");
    }

    @Test
    void aPasswordWithoutAUserIsRefused() {
        assertThatThrownBy(() -> bind(Map.of("rowlock.schema.password", "secret")))
                .rootCause()
                .hasMessageContaining("without rowlock.schema.user");
    }

    private static RowlockProperties bind(Map<String, String> properties) {
        return new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate("rowlock", RowlockProperties.class);
    }
}
