package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.schedule.Recurring;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobDetails;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The examples of docs/recurring.md. */
@PostgresTest(freshPerTest = true, migrated = true)
class RecurringExamplesTest {

    private final ApplicationContextRunner contexts;

    RecurringExamplesTest(TestDatabase database) {
        this.contexts = Contexts.on(database).withUserConfiguration(Application.class);
    }

    record SendReport(String name) {}

    record Export(int tenant) {}

    interface Prices {
        void check(String region);
    }

    interface Reports {
        void send(String name, Instant run);
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        final Queue<String> story = new ConcurrentLinkedQueue<>();
        final Prices prices = region -> story.add("prices of " + region);
        final Reports reports = (name, run) -> story.add(name + " " + run.isBefore(Instant.now()));

        @JobType("check-prices")
        record CheckPrices(String region) {}

        @Recurring(cron = "0 0 3 * * *", zone = "Europe/Berlin", payload = "{\"region\": \"eu\"}")
        @JobListener
        void check(CheckPrices job) {
            prices.check(job.region());
        }

        @Bean
        RecurringJob weeklyReport() {
            return RecurringJob.of(
                            "weekly-report", Schedule.cron("0 0 6 * * MON", "Europe/Berlin"), new SendReport("sales"))
                    .options(o -> o.queue("reports").priority(5));
        }

        @JobListener
        void report(SendReport report, JobContext job) {
            Instant run = Instant.parse(job.headers().get(RecurringJob.SCHEDULED_AT));
            reports.send(report.name(), run);
        }
    }

    @Test
    void whatIsDeclaredRuns() {
        contexts.run(context -> {
            RecurringJobs recurringJobs = context.getBean(RecurringJobs.class);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(recurringJobs.list())
                            .extracting(RecurringJobDetails::name)
                            .containsExactly("check-prices", "weekly-report"));

            recurringJobs.runNow("check-prices");

            Application application = context.getBean(Application.class);
            Awaitility.await().untilAsserted(() -> assertThat(application.story).containsExactly("prices of eu"));
        });
    }

    @Test
    void aJobKnowsItsRun() {
        contexts.run(context -> {
            RecurringJobs recurringJobs = context.getBean(RecurringJobs.class);
            recurringJobs.create(RecurringJob.of("now", Schedule.cron("@yearly"), new SendReport("stock")));

            recurringJobs.runNow("now");

            Application application = context.getBean(Application.class);
            Awaitility.await().untilAsserted(() -> assertThat(application.story).containsExactly("stock true"));
        });
    }

    @Test
    void theyCanBeManagedAtRunTime() {
        contexts.run(context -> {
            RecurringJobs recurringJobs = context.getBean(RecurringJobs.class);

            recurringJobs.create(
                    RecurringJob.of("tenant-42-export", Schedule.every(Duration.ofHours(6)), new Export(42)));
            recurringJobs.change(
                    RecurringJob.of("tenant-42-export", Schedule.every(Duration.ofHours(1)), new Export(42)));
            recurringJobs.pause("tenant-42-export");
            recurringJobs.resume("tenant-42-export");
            recurringJobs.runNow("tenant-42-export");
            recurringJobs.delete("tenant-42-export");

            assertThat(recurringJobs.find("tenant-42-export")).isEmpty();
        });
    }
}
