package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** The examples of docs/unique.md. Only jobs of one type are run. */
@PostgresTest(freshPerTest = true, migrated = true)
class UniqueExamplesTest {

    private final ApplicationContextRunner contexts;

    UniqueExamplesTest(TestDatabase database) {
        this.contexts = Contexts.on(database).withUserConfiguration(Application.class);
    }

    record SendInvoice(long order) {}

    record IndexDocument(long document, String text) {}

    record SaveDraft(long draft, String text) {}

    record SyncAccount(long account) {}

    @Configuration(proxyBeanMethods = false)
    static class Application {

        final Queue<String> story = new ConcurrentLinkedQueue<>();
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @JobListener(queue = "sync")
        void sync(SyncAccount account) throws InterruptedException {
            story.add("account " + account.account());
            mayEnd.await();
        }
    }

    @Test
    void aSecondRequestKeepsTheJob() {
        contexts.run(context -> {
            JobTemplate jobs = context.getBean(JobTemplate.class);

            UniqueKey key = UniqueKey.of("order-42");
            EnqueueResult first = jobs.enqueueUnique(new SendInvoice(42), key);
            EnqueueResult second = jobs.enqueueUnique(new SendInvoice(42), key);
            // first.what() is CREATED, second.what() is KEPT; both have the same id

            assertThat(first.what()).isEqualTo(Enqueued.CREATED);
            assertThat(second).isEqualTo(new EnqueueResult(first.id(), Enqueued.KEPT));
        });
    }

    @Test
    void theNewestPayloadRuns() {
        contexts.run(context -> {
            JobTemplate jobs = context.getBean(JobTemplate.class);

            UniqueKey key = UniqueKey.of("index-7").untilStarted().replacing();
            jobs.enqueueUnique(new IndexDocument(7, "draft"), key);
            jobs.enqueueUnique(new IndexDocument(7, "final"), key); // REPLACED: one job, with the second payload

            assertThat(jobs.enqueueUnique(new IndexDocument(7, "third"), key).what())
                    .isEqualTo(Enqueued.REPLACED);
        });
    }

    @Test
    void requestsAreDebounced() {
        contexts.run(context -> {
            JobTemplate jobs = context.getBean(JobTemplate.class);

            UniqueKey key = UniqueKey.of("draft-7").postponing(Duration.ofMinutes(30));
            EnqueueResult first = jobs.enqueueUnique(new SaveDraft(7, "He"), key, o -> o.delay(Duration.ofMinutes(5)));
            EnqueueResult second = jobs.enqueueUnique(
                    new SaveDraft(7, "Hello"), key, o -> o.delay(Duration.ofMinutes(5))); // POSTPONED

            assertThat(second).isEqualTo(new EnqueueResult(first.id(), Enqueued.POSTPONED));
        });
    }

    @Test
    void aJobRunsOnceMore() {
        contexts.run(context -> {
            JobTemplate jobs = context.getBean(JobTemplate.class);
            Application application = context.getBean(Application.class);

            UniqueKey key = UniqueKey.of("sync-7").onceMore();
            jobs.enqueueUnique(new SyncAccount(7), key);

            Awaitility.await().untilAsserted(() -> assertThat(application.story).hasSize(1));
            assertThat(jobs.enqueueUnique(new SyncAccount(7), key).what()).isEqualTo(Enqueued.ONCE_MORE);
            assertThat(jobs.enqueueUnique(new SyncAccount(7), key).what()).isEqualTo(Enqueued.ONCE_MORE);
            application.mayEnd.countDown();
            Awaitility.await()
                    .untilAsserted(() -> assertThat(application.story).containsExactly("account 7", "account 7"));
        });
    }

    @Test
    void manyAreToldApart() {
        contexts.run(context -> {
            context.getBean(Application.class).mayEnd.countDown();
            JobTemplate jobs = context.getBean(JobTemplate.class);

            List<EnqueueResult> results = jobs.enqueueEach(List.of(
                    JobRequest.of(
                            new SyncAccount(7),
                            o -> o.unique(UniqueKey.of("sync-7").onceMore())),
                    JobRequest.of(
                            new SyncAccount(8),
                            o -> o.unique(UniqueKey.of("sync-8").onceMore()))));

            assertThat(results).extracting(EnqueueResult::what).containsExactly(Enqueued.CREATED, Enqueued.CREATED);
        });
    }
}
