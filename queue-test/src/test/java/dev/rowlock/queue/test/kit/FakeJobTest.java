package dev.rowlock.queue.test.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.StopReason;
import dev.rowlock.queue.test.FakeJob;
import dev.rowlock.queue.test.FakeJobContext;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FakeJobTest {

    record SendMail(String to) {}

    @Test
    void aRetryPolicyIsTestedWithoutADatabase() {
        RetryPolicy policy = RetryPolicy.fixed(Duration.ofSeconds(1)).maxRetries(2);

        assertThat(policy.next(FakeJob.of(SendMail.class).failed(new IOException("away"))))
                .map(Due::after)
                .hasValue(Duration.ofSeconds(1));
        assertThat(policy.next(FakeJob.of(SendMail.class).attempt(3).failed(new IOException("away"))))
                .isEmpty();
    }

    @Test
    void aPolicyIsShownAJobThatDoesNotExist() {
        WaitingJob job = FakeJob.of(SendMail.class)
                .id(7)
                .key("a")
                .priority(5)
                .attempt(2)
                .age(Duration.ofHours(1))
                .header("tenant", "7")
                .waiting();

        assertThat(job)
                .returns(7L, WaitingJob::id)
                .returns("SendMail", WaitingJob::type)
                .returns("a", WaitingJob::key)
                .returns(5, WaitingJob::priority)
                .returns(1, WaitingJob::attempts)
                .returns(Map.of("tenant", "7"), WaitingJob::headers);
        assertThat(job.readyAt())
                .isEqualTo(job.enqueuedAt())
                .isEqualTo(FakeJob.of(SendMail.class).claimed().claimedAt().minus(Duration.ofHours(1)));
    }

    @Test
    void anObserverGetsAJobThatDoesNotExist() {
        ClaimedJob job =
                FakeJob.of(SendMail.class).id(7).age(Duration.ofHours(1)).claimed();

        assertThat(job.id()).isEqualTo(7);
        assertThat(job.enqueuedAt()).isEqualTo(job.claimedAt().minus(Duration.ofHours(1)));
        assertThat(job.withoutPayload()).isEqualTo(job);
        assertThat(job).hasToString("job 7 (SendMail) of queue 'default', attempt 1");
    }

    @Test
    void aContextSaysWhatItWasToldAndRemembersWhatTheHandlerDid() {
        FakeJobContext context = FakeJob.of(SendMail.class)
                .queue("mail")
                .key("a")
                .attempt(2)
                .maxRetries(1)
                .age(Duration.ofHours(1))
                .timeout(Duration.ofMinutes(1))
                .header("tenant", "7")
                .error("java.io.IOException", "away")
                .checkpoint(5)
                .context();

        assertThat(context.type()).isEqualTo("SendMail");
        assertThat(context.queue()).isEqualTo("mail");
        assertThat(context.key()).hasValue("a");
        assertThat(context.lastAttempt()).isTrue();
        assertThat(context.headers()).containsEntry("tenant", "7");
        assertThat(context.errors()).extracting(FailedAttempt::message).containsExactly("away");
        assertThat(context.checkpoint(Integer.class)).hasValue(5);
        assertThat(context.deadline()).isPresent();
        assertThat(context.stopRequested()).isFalse();

        context.progress(50, "half");
        context.log("page {} of {}, {}", 1, 2);
        context.saveCheckpoint(6);
        context.stop(StopReason.SHUTDOWN);
        context.completeInTransaction("done");

        assertThat(context.progress()).hasValue(50);
        assertThat(context.log()).containsExactly("page 1 of 2, {}");
        assertThat(context.progressNote()).hasValue("half");
        assertThat(context.checkpoint()).hasValue(6);
        assertThat(context.stopReason()).hasValue(StopReason.SHUTDOWN);
        assertThat(context.completedInTransaction()).isTrue();
        assertThat(context.result()).hasValue("done");
        assertThatThrownBy(() -> context.progress(60)).isInstanceOf(IllegalStateException.class);
    }
}
