package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Which listeners run: by properties, by their annotations, and at run time. */
@PostgresTest(freshPerTest = true, migrated = true)
class ListenersAtRunTimeTest {

    record Mail(int number) {}

    record Report(int number) {}

    record Slow() {}

    static class Listeners {
        final Queue<Object> ran = new ConcurrentLinkedQueue<>();
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @JobListener(id = "mailer")
        void mail(Mail mail) {
            ran.add(mail);
        }

        @JobListener(queue = "reports")
        void report(Report report) {
            ran.add(report);
        }

        @JobListener
        void slow(Slow slow) throws InterruptedException {
            begun.countDown();
            mayEnd.await();
            ran.add(slow);
        }
    }

    static class Sleepers {
        final Queue<Object> ran = new ConcurrentLinkedQueue<>();

        @JobListener(autoStartup = "false")
        void mail(Mail mail) {
            ran.add(mail);
        }
    }

    private final ApplicationContextRunner contexts;

    ListenersAtRunTimeTest(TestDatabase database) {
        this.contexts = Contexts.on(database).withBean(Listeners.class);
    }

    @Test
    void aListenerIsPausedAndStartedByItsId() {
        contexts.run(context -> {
            Rowlock rowlock = context.getBean(Rowlock.class);
            JobOperations jobs = context.getBean(JobOperations.class);
            Listeners listeners = context.getBean(Listeners.class);
            assertThat(rowlock.listener("mailer").running()).isTrue();

            rowlock.listener("mailer").pause();
            long mail = jobs.enqueue(new Mail(1));
            jobs.enqueueAll(Collections.nCopies(3, new Report(1)), JobOptions.NONE);
            await().until(() -> listeners.ran.size() == 3);

            assertThat(rowlock.listener("mailer").running()).isFalse();
            assertThat(context.getBean(JobSearch.class).find(mail))
                    .map(JobDetails::state)
                    .contains(JobState.READY);
            rowlock.listener("mailer").start();
            await().until(() -> listeners.ran.contains(new Mail(1)));
        });
    }

    @Test
    void aStopWaitsForTheJobsThatRunAndInterruptsNone() {
        contexts.run(context -> {
            Rowlock rowlock = context.getBean(Rowlock.class);
            Listeners listeners = context.getBean(Listeners.class);
            context.getBean(JobOperations.class).enqueue(new Slow());
            assertThat(listeners.begun.await(30, TimeUnit.SECONDS)).isTrue();

            assertThat(rowlock.listener("Slow").stop(Duration.ofMillis(50))).isFalse();
            listeners.mayEnd.countDown();
            assertThat(rowlock.listener("Slow").stop(Duration.ofSeconds(30))).isTrue();

            assertThat(listeners.ran).contains(new Slow());
        });
    }

    @Test
    void aListenerThatDoesNotStartByItselfWaitsForItsStart() {
        contexts.withBean(Sleepers.class)
                .withAllowBeanDefinitionOverriding(true)
                .withBean("listenersAtRunTimeTest.Listeners", String.class, () -> "none")
                .run(context -> startsLater(
                        context.getBean(Rowlock.class),
                        context.getBean(JobOperations.class),
                        context.getBean(Sleepers.class).ran,
                        "Mail"));
    }

    @Test
    void noListenerStartsByItselfWhereThePropertySaysSo() {
        contexts.withPropertyValues("rowlock.worker.auto-startup=false")
                .run(context -> startsLater(
                        context.getBean(Rowlock.class),
                        context.getBean(JobOperations.class),
                        context.getBean(Listeners.class).ran,
                        "mailer"));
    }

    private static void startsLater(Rowlock rowlock, JobOperations jobs, Queue<Object> ran, String id) {
        jobs.enqueue(new Mail(1));
        await().until(() -> rowlock.status().nodeId() != 0);
        assertThat(rowlock.listener(id).running()).isFalse();
        assertThat(ran).isEmpty();

        rowlock.listener(id).start();

        await().until(() -> ran.contains(new Mail(1)));
    }

    @Test
    void aDeploymentRunsTheQueuesThatItIsTold() {
        contexts.withPropertyValues("rowlock.worker.queues=rep*").run(context -> {
            Rowlock rowlock = context.getBean(Rowlock.class);
            JobOperations jobs = context.getBean(JobOperations.class);

            long mail = jobs.enqueue(new Mail(1));
            jobs.enqueue(new Report(1));

            await().until(() -> context.getBean(Listeners.class).ran.contains(new Report(1)));
            assertThat(rowlock.queues()).containsOnlyKeys("reports");
            assertThat(context.getBean(JobSearch.class).find(mail))
                    .map(JobDetails::state)
                    .contains(JobState.READY);
            assertThatThrownBy(() -> rowlock.listener("mailer").start())
                    .hasMessageContaining("whose jobs this deployment does not run: it runs [rep*]");
        });
    }

    @Test
    void anUnknownIdIsRefusedWithTheKnownOnes() {
        contexts.run(context -> assertThatThrownBy(
                        () -> context.getBean(Rowlock.class).listener("mialer"))
                .hasMessageContaining("mailer")
                .hasMessageContaining("Report"));
    }

    @Test
    void aQueueMayHaveItsOwnTimeoutAndRetriesAndJobsTheirOwnDefaultQueue() {
        contexts.withPropertyValues(
                        "rowlock.default-queue=main",
                        "rowlock.retry.multiplier=3",
                        "rowlock.queues.reports.timeout=5m",
                        "rowlock.queues.reports.retry.max-retries=2",
                        "rowlock.queues.reports.retry.initial-interval=9s")
                .run(context -> {
                    ListenerDefinition report = definition(context.getBean(Rowlock.class), "Report");
                    ListenerDefinition mail = definition(context.getBean(Rowlock.class), "mailer");

                    assertThat(report.timeout()).isEqualTo(Duration.ofMinutes(5));
                    assertThat((RetryPolicy) report.retry()).satisfies(policy -> {
                        assertThat(policy.maxRetries()).isEqualTo(2);
                        assertThat(policy.initialInterval()).isEqualTo(Duration.ofSeconds(9));
                        assertThat(policy.multiplier()).isEqualTo(3);
                    });
                    assertThat(mail.timeout()).isNull();
                    assertThat(mail.queue()).isEqualTo("main");
                });
    }

    private static ListenerDefinition definition(Rowlock rowlock, String id) {
        return rowlock.listeners().stream()
                .filter(listener -> listener.id().equals(id))
                .findAny()
                .orElseThrow();
    }
}
