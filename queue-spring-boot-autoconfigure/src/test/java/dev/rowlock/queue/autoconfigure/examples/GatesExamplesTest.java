package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** The examples of docs/gates.md. */
@PostgresTest(freshPerTest = true)
class GatesExamplesTest {

    record Import(String file) {}

    @JobType(value = "sync-account", queue = "accounts", key = "accountId")
    record SyncAccount(String accountId) {}

    @Configuration(proxyBeanMethods = false)
    static class Application {

        final List<String> begun = new CopyOnWriteArrayList<>();
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @JobListener(queue = "imports")
        void run(Import file, JobContext job) throws InterruptedException {
            begun.add(job.key().orElseThrow());
            mayEnd.await();
        }

        @JobListener
        void sync(SyncAccount account, JobContext job) {
            begun.add(account.accountId() + " " + job.key().orElseThrow());
        }
    }

    private final ApplicationContextRunner contexts;

    GatesExamplesTest(TestDatabase database) {
        contexts = Contexts.on(database).withUserConfiguration(Application.class);
    }

    @Test
    void aLimitOfTheConfigurationHolds() {
        contexts.withPropertyValues(
                        "rowlock.queues.imports.max-running=3", "rowlock.queues.imports.max-running-per-key=1")
                .run(context -> {
                    JobTemplate jobs = context.getBean(JobTemplate.class);
                    QueueLimits limits = context.getBean(QueueLimits.class);
                    Application application = context.getBean(Application.class);
                    await().until(() -> limits.all()
                            .equals(List.of(
                                    QueueLimit.of("imports").maxRunning(3).maxRunningPerKey(1))));

                    IntStream.range(0, 5).forEach(i -> {
                        jobs.enqueue(
                                new Import("prices.csv"),
                                o -> o.queue("imports").key("tenant-7"));
                        jobs.enqueue(
                                new Import("stock.csv"), o -> o.queue("imports").key("tenant-8"));
                    });

                    await().until(() -> application.begun.size() == 2);
                    assertThat(application.begun).containsExactlyInAnyOrder("tenant-7", "tenant-8");
                    assertThat(context.getBean(JobSearch.class)
                                    .count(JobFilter.where().key("tenant-7"), 100)
                                    .jobs())
                            .isEqualTo(5);
                    application.mayEnd.countDown();
                    await().until(() -> application.begun.size() == 10);
                });
    }

    @Test
    void theKeyComesFromThePayload() {
        contexts.run(context -> {
            context.getBean(JobTemplate.class).enqueue(new SyncAccount("a-1"));

            Application application = context.getBean(Application.class);
            await().until(() -> application.begun.contains("a-1 a-1"));
        });
    }

    @Test
    void limitsAreSetAndRemovedAtRunTime() {
        contexts.run(context -> {
            QueueLimits limits = context.getBean(QueueLimits.class);

            limits.by("ann", "the partner is slow today")
                    .set(QueueLimit.of("imports").maxRunning(5).maxRunningPerKey(1));
            limits.remove("imports");

            assertThat(limits.all()).isEmpty();
        });
    }
}
