package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.observe.DatabaseMetrics;
import dev.rowlock.queue.observe.NodeMetrics;
import dev.rowlock.queue.observe.QueueMetrics;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What Prometheus scrapes, and docs/meters.md: all of it, also what only roles with rights to statistics see. */
@PostgresTest(freshPerTest = true, superuser = true)
class MetersPageTest {

    /** Units that Prometheus wants in a name. */
    private static final Set<String> MEASURES = Set.of("seconds", "bytes", "ratio");

    private final ApplicationContextRunner contexts;
    private final TestDatabase database;

    MetersPageTest(TestDatabase database) {
        this.database = database;
        this.contexts = Contexts.on(database)
                .withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class,
                        PrometheusMetricsExportAutoConfiguration.class,
                        CompositeMeterRegistryAutoConfiguration.class))
                .withBean(Greeter.class)
                .withBean("policy", AdmissionPolicy.class, Nothing::new);
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
            Awaitility.await().until(() -> measured(context));

            assertThat(scraped(context)).isEqualTo(listed);
            assertThat(tagsOfScrape(context)).isEqualTo(tagsOfPage());
        });
    }

    @Test
    void theUnitOnThePageIsTheOneInTheNameForPrometheus() throws IOException {
        page().forEach(row -> {
            String end = row.group(1).replaceFirst("_total$", "").replaceFirst(".*_", "");
            String unit = row.group(3).strip().replace("share", "ratio");
            assertThat(MEASURES.contains(unit) ? unit : "a count")
                    .as(row.group(1))
                    .isEqualTo(MEASURES.contains(end) ? end : "a count");
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
        return Stream.of("oldest_age", "database_table_size", "chore_success_age", "policy_held_jobs", "policy_answers")
                .allMatch(scrape(context)::contains);
    }

    private static String scrape(AssertableApplicationContext context) {
        return context.getBean(PrometheusMeterRegistry.class).scrape();
    }

    /** Names of families, without what a timer adds. */
    private static Set<String> scraped(AssertableApplicationContext context) {
        return tagsOfScrape(context).keySet();
    }

    private static Set<String> listed() throws IOException {
        return tagsOfPage().keySet();
    }

    /** By family. */
    private static Map<String, Set<String>> tagsOfScrape(AssertableApplicationContext context) {
        Map<String, Set<String>> tags = new TreeMap<>();
        found("(?m)^(rowlock_[a-z_]+?)(?:_count|_sum|_max|_bucket)?(?:\\{(.*)\\})? [-+0-9.eENaInf]+$", scrape(context))
                .forEach(line -> tags.computeIfAbsent(line.group(1), family -> new TreeSet<>())
                        .addAll(found("([a-z]+)=\"", line.group(2) == null ? "" : line.group(2))
                                .map(tag -> tag.group(1))
                                .toList()));
        return tags;
    }

    private static Map<String, Set<String>> tagsOfPage() throws IOException {
        return page().collect(Collectors.toMap(
                row -> row.group(1),
                row -> Stream.of(row.group(2).strip().split(", "))
                        .filter(tag -> !tag.isEmpty())
                        .collect(Collectors.toCollection(TreeSet::new)),
                (one, other) -> one,
                TreeMap::new));
    }

    /** Rows of the page: name in Prometheus, tags, unit. */
    private static Stream<MatchResult> page() throws IOException {
        return found(
                "(?m)^\\| `rowlock\\.[a-z.]+` \\| `(rowlock_[a-z_]+)`[^|]*\\|([^|]*)\\|([^|]*)\\|",
                Files.readString(Path.of("../docs/meters.md")));
    }

    private static Stream<MatchResult> found(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results();
    }

    /** A policy for a queue without jobs. */
    private static final class Nothing implements AdmissionPolicy {

        @Override
        public String queue() {
            return "unused";
        }

        @Override
        public Admission admit(AdmissionRequest request) {
            return Admission.of(List.of());
        }
    }
}
