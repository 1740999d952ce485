package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.observe.DatabaseMetrics;
import dev.rowlock.queue.observe.NodeMetrics;
import dev.rowlock.queue.observe.QueueMetrics;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What Prometheus scrapes, and docs/meters.md. */
@PostgresTest(freshPerTest = true)
class MetersPageTest {

    private final ApplicationContextRunner contexts;
    private final TestDatabase database;

    MetersPageTest(TestDatabase database) {
        this.database = database;
        this.contexts = Contexts.on(database)
                .withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class,
                        PrometheusMetricsExportAutoConfiguration.class,
                        CompositeMeterRegistryAutoConfiguration.class))
                .withBean(Greeter.class);
    }

    @Test
    void thePageListsExactlyTheMetersOfAScrape() throws IOException {
        Set<String> listed = listed();
        Rowlock.builder(database.dataSource())
                .build()
                .jobs()
                .enqueue(new Greeter.Greeting("later"), o -> o.queue("elsewhere"));

        contexts.run(context -> {
            runAJob(context);
            context.getBean(JobAdmin.class).pause("elsewhere");
            Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> measured(context));

            assertThat(scraped(context)).isEqualTo(listed);
        });
    }

    @Test
    void aPauseIsScrapedUntilItEnds() {
        contexts.run(context -> {
            JobAdmin admin = context.getBean(JobAdmin.class);
            NodeMetrics metrics = context.getBean(NodeMetrics.class);

            admin.pause("elsewhere");
            metrics.refresh();
            String during = scrape(context);
            admin.resume("elsewhere");
            metrics.refresh();

            assertThat(during).contains("rowlock_paused{kind=\"queue\",name=\"elsewhere\"} 1.0");
            assertThat(scrape(context)).doesNotContain("elsewhere");
        });
    }

    @Test
    void histogramsAreMadeOnDemand() {
        contexts.withPropertyValues("management.metrics.distribution.percentiles-histogram.rowlock=true")
                .run(context -> {
                    runAJob(context);

                    assertThat(scrape(context))
                            .contains("rowlock_job_wait_seconds_bucket{")
                            .contains("rowlock_job_process_seconds_bucket{");
                });
    }

    private static void runAJob(AssertableApplicationContext context) throws InterruptedException {
        context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("metered"));
        assertThat(context.getBean(Greeter.class).nextCall()).isNotNull();
        Awaitility.await().until(() -> scrape(context).contains("rowlock_job_process_seconds_count"));
    }

    /** Whether the node has made all its measurements, as it does when it starts. */
    private static boolean measured(AssertableApplicationContext context) {
        context.getBean(QueueMetrics.class).refresh();
        context.getBean(DatabaseMetrics.class).refresh();
        context.getBean(NodeMetrics.class).refresh();
        return Stream.of("oldest_age", "database_table_size", "chore_success_age")
                .allMatch(scrape(context)::contains);
    }

    private static String scrape(AssertableApplicationContext context) {
        return context.getBean(PrometheusMeterRegistry.class).scrape();
    }

    /** Names of families, without what a timer adds. */
    private static Set<String> scraped(AssertableApplicationContext context) {
        return found("(?m)^(rowlock_[a-z_]+?)(?:_count|_sum|_max|_bucket)?[{ ]", scrape(context));
    }

    private static Set<String> listed() throws IOException {
        String page = Files.readString(Path.of("../docs/meters.md"));
        return found("(?m)^\\| `rowlock\\.[a-z.]+` \\| `(rowlock_[a-z_]+)`", page);
    }

    private static Set<String> found(String pattern, String text) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }
}
