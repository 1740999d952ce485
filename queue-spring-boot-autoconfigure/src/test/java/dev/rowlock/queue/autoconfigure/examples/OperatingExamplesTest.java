package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.operate.Pause;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobTime;
import dev.rowlock.queue.search.TimeRange;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The examples of docs/operating.md. */
@PostgresTest(freshPerTest = true, migrated = true)
class OperatingExamplesTest {

    private static final Logger log = LoggerFactory.getLogger(OperatingExamplesTest.class);

    private final ApplicationContextRunner contexts;

    OperatingExamplesTest(TestDatabase database) {
        this.contexts = Contexts.on(database).withUserConfiguration(Application.class);
    }

    @JobType("send-invoice")
    record SendInvoice(long orderId) {}

    @JobType(value = "newsletter", queue = "mail")
    record Newsletter(String subject) {}

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @JobListener
        void send(SendInvoice invoice) {}

        @JobListener
        void send(Newsletter newsletter) {
            throw new DoNotRetryException("the mail server timed out");
        }
    }

    @Test
    void oneJobIsChangedInSomebodysName() {
        contexts.run(context -> {
            JobAdmin admin = context.getBean(JobAdmin.class);
            long id = jobs(context).enqueue(new SendInvoice(17), o -> o.delay(Duration.ofDays(1)));

            JobAdmin ann = admin.by("ann", "wrong price, ticket 4711");
            ann.cancel(id);
            for (AuditEntry line : admin.audit(null, 50)) { // newest first
                log.info("{} {} {} {}: {}", line.at(), line.who(), line.action(), line.subject(), line.why());
            }

            assertThat(admin.audit(null, 50)).singleElement().satisfies(line -> {
                assertThat(line.who()).isEqualTo("ann");
                assertThat(line.subject()).isEqualTo("job " + id);
            });
        });
    }

    @Test
    void whatCanBeDoneToOneJob() {
        contexts.withPropertyValues("rowlock.worker.queues=mail")
                .run(
                        context -> { // nobody runs the job
                            JobAdmin ann = context.getBean(JobAdmin.class).by("ann", null);
                            long id = jobs(context).enqueue(new SendInvoice(17), o -> o.delay(Duration.ofDays(1)));

                            ann.runNow(id); // a waiting job becomes ready
                            ann.reschedule(id, Duration.ofHours(2)); // or at an Instant; a ready job waits again
                            ann.changePriority(id, 100); // of a waiting, ready or dead job
                            ann.editPayload(id, "{\"orderId\": 4711}"); // of a waiting, ready or dead job
                            ann.redrive(id); // a dead job runs again, with all its retries
                            ann.discard(id); // a dead job is deleted
                            ann.cancel(id); // a running handler is interrupted and may still finish

                            assertThat(context.getBean(JobSearch.class).find(id))
                                    .hasValueSatisfying(job -> {
                                        assertThat(job.state()).isEqualTo(JobState.CANCELLED);
                                        assertThat(job.payload()).isEqualTo("{\"orderId\": 4711}");
                                        assertThat(job.priority()).isEqualTo(100);
                                    });
                        });
    }

    @Test
    void manyJobsAreRedrivenWhileSomebodyWatches() {
        contexts.run(context -> {
            JobAdmin admin = context.getBean(JobAdmin.class);
            JobAdmin ann = admin.by("ann", "the mail server is back");
            long dead = jobs(context).enqueue(new Newsletter("spring"));
            JobSearch search = context.getBean(JobSearch.class);
            Awaitility.await().until(() -> search.find(dead).orElseThrow().state() == JobState.DEAD);
            ann.pause("mail");

            BulkAction redrive = ann.redrive(JobFilter.where().queue("mail").errorText("timed out"), 50); // 50 a second
            log.info("{} dead jobs will run again", redrive.counted());
            BulkAction now = admin.bulkAction(redrive.id()).orElseThrow();
            log.info("{} of {}", now.done(), now.counted());
            Awaitility.await()
                    .until(() -> admin.bulkAction(redrive.id()).orElseThrow().done() == 1);
            ann.cancelBulkAction(redrive.id()); // what it has done stays
            ann.discard(JobFilter.where().queue("mail").type("newsletter")); // deletes dead jobs
            ann.cancel(JobFilter.where().type("newsletter")); // ends waiting and ready jobs as cancelled
            ann.purge("mail"); // the same, of all jobs of the queue

            assertThat(redrive.counted()).isEqualTo(1);
            Awaitility.await().until(() -> search.find(dead).orElseThrow().state() == JobState.CANCELLED);
        });
    }

    @Test
    void jobsFromBeforeTheClockWasSetBackAreBroughtForward() {
        contexts.run(context -> {
            JobAdmin ann = context.getBean(JobAdmin.class).by("ann", "the clock was an hour ahead");
            long id = jobs(context).enqueue(new Newsletter("spring"), o -> o.delay(Duration.ofHours(1)));
            JdbcClient.create(context.getBean(DataSource.class))
                    .sql("UPDATE rowlock.waiting SET enqueued_at = enqueued_at + interval '59 min'")
                    .update();

            int jobs = ann.bringForward(
                    JobFilter.where().time(JobTime.ENQUEUED, TimeRange.from(Instant.now())), Duration.ofMinutes(59));

            assertThat(jobs).isEqualTo(1);
            assertThat(context.getBean(JobSearch.class).find(id).orElseThrow().dueAt())
                    .isBefore(Instant.now().plus(Duration.ofMinutes(2)));
        });
    }

    @Test
    void whatIsPausedIsResumed() {
        contexts.run(context -> {
            JobAdmin admin = context.getBean(JobAdmin.class);
            JobAdmin ann = admin.by("ann", "wrong price, ticket 4711");

            ann.pause("mail"); // a queue
            ann.pauseType("newsletter"); // a type, in whatever queue
            ann.pauseEverything();
            for (Pause pause : admin.pauses()) {
                log.info("{} {} since {}: {}, {}", pause.kind(), pause.name(), pause.since(), pause.who(), pause.why());
            }
            assertThat(admin.pauses()).hasSize(3);
            ann.resumeEverything();
            ann.resumeType("newsletter");
            ann.resume("mail");

            assertThat(admin.pauses()).isEmpty();
        });
    }

    private static JobOperations jobs(ApplicationContext context) {
        return context.getBean(JobOperations.class);
    }
}
