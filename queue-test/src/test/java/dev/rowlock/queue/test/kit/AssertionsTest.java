package dev.rowlock.queue.test.kit;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.RowlockTest;
import dev.rowlock.queue.test.TestJobs;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

@RowlockTest
@AutoConfigureEmbeddedPostgres
@Import(AssertionsTest.Listeners.class)
class AssertionsTest {

    record SendMail(String to) {}

    record Broken() {}

    record Other() {}

    static class Listeners {

        @JobListener(queue = "broken")
        void broken(Broken job) {
            throw new DoNotRetryException("it is broken");
        }
    }

    @Autowired
    JobOperations queue;

    @Autowired
    TestJobs jobs;

    @Test
    void whatWasEnqueuedIsFound() {
        queue.enqueue(
                new SendMail("ada"), o -> o.queue("mail").key("a").priority(5).delay(ofHours(2)));
        queue.enqueue(new SendMail("bob"));

        assertThat(jobs)
                .hasEnqueued(SendMail.class)
                .onQueue("mail")
                .withKey("a")
                .withPriority(5)
                .delayedBy(ofHours(2))
                .withPayload(new SendMail("ada"))
                .withPayload(mail -> mail.to().startsWith("a"))
                .once();
        assertThat(jobs).hasEnqueued(SendMail.class).times(2);
        assertThat(jobs).hasNotEnqueued(Other.class);
    }

    @Test
    void aDeadJobIsFound() {
        queue.enqueue(new Broken());
        jobs.drain();

        assertThat(jobs).hasDead(Broken.class).afterAttempts(1).once();
    }

    @Test
    void messagesShowWhatThereIs() {
        fails(
                () -> assertThat(jobs).hasEnqueued(SendMail.class),
                "expected a job of type SendMail, but no job was enqueued");
        assertThat(jobs).hasEnqueuedNothing();

        queue.enqueue(new SendMail("ada"), o -> o.queue("mail").delay(ofMinutes(1)));

        fails(
                () -> assertThat(jobs).hasEnqueued(Other.class),
                "expected a job of type Other, but these were enqueued:",
                ": SendMail on queue 'mail', waiting, due PT1M after its enqueue, attempts 0, payload {\"to\":\"ada\"}");
        fails(
                () -> assertThat(jobs).hasEnqueued(SendMail.class).onQueue("post"),
                "expected a job of type SendMail, queue 'post', but of type SendMail there are:",
                "on queue 'mail'");
        fails(
                () -> assertThat(jobs).hasEnqueued(SendMail.class).withPayload(new SendMail("bob")),
                "payload SendMail[to=bob], but",
                "{\"to\":\"ada\"}");
        fails(
                () -> assertThat(jobs).hasEnqueued(SendMail.class).times(2),
                "expected 2 of type SendMail, but there are 1:",
                "{\"to\":\"ada\"}");
        fails(() -> assertThat(jobs).hasNotEnqueued(SendMail.class), "expected no job of type SendMail, but there are");
        fails(() -> assertThat(jobs).hasEnqueuedNothing(), "expected no jobs, but there are", "SendMail");
    }

    @Test
    void successIsRequiredWithTheReason() {
        queue.enqueue(new Broken());

        assertThatThrownBy(() -> jobs.drain().requireSuccess())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 of 1 attempts did not complete their jobs")
                .hasMessageContaining("(Broken) of queue 'broken', attempt 1")
                .hasMessageContaining("DoNotRetryException: it is broken")
                .satisfies(error -> assertThat(error.getSuppressed()).hasSize(1));
    }

    @Test
    void jobsOfOtherTestsAreNotTheTestsOwn() {
        assertThat(jobs.all()).isEmpty();
    }

    private static void fails(ThrowingCallable assertion, String... parts) {
        assertThatThrownBy(assertion).isInstanceOf(AssertionError.class).hasMessageContainingAll(parts);
    }
}
