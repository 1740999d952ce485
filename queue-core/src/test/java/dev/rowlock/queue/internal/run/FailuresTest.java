package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.run.Extensions.SlowDownHandler;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.job.RetryLaterException;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class FailuresTest {

    private static final RuntimeException BROKEN = new IllegalStateException("broken");

    private final ListenerDefinition listener = ListenerDefinition.of("Test", (context, payload) -> null)
            .retry(RetryPolicy.exponential(Duration.ofSeconds(8), 2, Duration.ofHours(1))
                    .jitter(0)
                    .maxRetries(2))
            .noRetryFor(Set.of(UncheckedIOException.class));

    @Test
    void aFailedAttemptIsFollowedByAnotherAfterItsBackoffUntilNoneIsLeft() {
        assertThat(outcome(TestExecution.inAttempt(1, null), BROKEN))
                .isInstanceOfSatisfying(Outcome.Retry.class, retry -> {
                    assertThat(retry.due()).isEqualTo(Due.after(Duration.ofSeconds(8)));
                    assertThat(retry.error().message()).isEqualTo("broken");
                });
        assertThat(outcome(TestExecution.inAttempt(2, null), BROKEN)).isInstanceOf(Outcome.Retry.class);
        assertThat(outcome(TestExecution.inAttempt(3, null), BROKEN)).isInstanceOf(Outcome.Failed.class);
    }

    @Test
    void aJobsOwnRetriesCountBeforeItsListeners() {
        assertThat(outcome(TestExecution.inAttempt(3, 3), BROKEN)).isInstanceOf(Outcome.Retry.class);
        assertThat(outcome(TestExecution.inAttempt(1, 0), BROKEN)).isInstanceOf(Outcome.Failed.class);
    }

    @Test
    void aFinalFailureIsNotRetried() {
        assertThat(outcome(TestExecution.inAttempt(1, null), new DoNotRetryException("final")))
                .isInstanceOf(Outcome.Failed.class);
        assertThat(outcome(TestExecution.inAttempt(1, null), new UncheckedIOException(new IOException("final"))))
                .isInstanceOf(Outcome.Failed.class);
    }

    @Test
    void aHandlerMaySayWhenItIsTriedAgain() {
        Duration later = Duration.ofMinutes(7);

        assertThat(outcome(TestExecution.inAttempt(1, null), new RetryLaterException("busy", later, BROKEN)))
                .isInstanceOfSatisfying(
                        Outcome.Retry.class, retry -> assertThat(retry.due()).isEqualTo(Due.after(later)));
    }

    @Test
    void aSnoozeStandsWhateverTheHandlerWasStoppedFor() {
        Execution execution = TestExecution.inAttempt(1, null);
        execution.stop(Execution.Stop.CANCELLED);

        assertThat(outcome(execution, new SnoozeException(Duration.ofMinutes(1))))
                .isEqualTo(new Outcome.Snoozed(Due.after(Duration.ofMinutes(1)), null));
    }

    @Test
    void theReasonForAStopCountsBeforeTheHandlersException() {
        assertThat(stopped(Execution.Stop.CANCELLED)).isInstanceOf(Outcome.Cancelled.class);
        assertThat(stopped(Execution.Stop.SHUTDOWN)).isInstanceOf(Outcome.Released.class);
        assertThat(stopped(Execution.Stop.CLAIM_LOST)).isInstanceOf(Outcome.Released.class);
        assertThat(stopped(Execution.Stop.TIMED_OUT)).isInstanceOfSatisfying(Outcome.Retry.class, retry -> {
            assertThat(retry.error().type()).isEqualTo("timeout");
            assertThat(retry.error().message()).contains("attempt 1").contains("broken");
        });
    }

    @Test
    void aClaimThatIsLostIsNoFailure() {
        assertThat(outcome(TestExecution.inAttempt(9, null), new ClaimLostException(new Claim(1, 1))))
                .isInstanceOf(Outcome.Released.class);
    }

    @Test
    void aJobThatWasCancelledBeforeItBeganIsCancelled() {
        assertThat(Failures.notStarted(Execution.Stop.CANCELLED)).isInstanceOf(Outcome.Cancelled.class);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "CANCELLED")
    void aJobThatDidNotBeginForAnyOtherReasonCostsNoAttempt(Execution.Stop reason) {
        assertThat(Failures.notStarted(reason)).isInstanceOf(Outcome.Released.class);
    }

    private Outcome stopped(Execution.Stop reason) {
        Execution execution = TestExecution.inAttempt(1, null);
        execution.stop(reason);
        return outcome(execution, BROKEN);
    }

    private Outcome outcome(Execution execution, Throwable thrown) {
        return new Failures(List.of(), SlowDownHandler.NONE, job -> job).outcome(execution, listener, thrown);
    }
}
