package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.run.Execution.Stop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExecutionTest {

    private final Execution execution = TestExecution.of(1);

    @AfterEach
    void leaveNoInterrupt() {
        Thread.interrupted();
    }

    @Test
    void anExecutionThatWasStoppedDoesNotBegin() {
        assertThat(execution.stopped()).isEqualTo(Stop.NONE);

        execution.stop(Stop.CANCELLED);

        assertThat(execution.begin()).isFalse();
        assertThat(execution.thread()).isNull();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void aHandlerIsInterruptedOnlyWhileItRunsAndLeavesNoInterruptBehind() {
        assertThat(execution.begin()).isTrue();
        assertThat(execution.thread()).isSameAs(Thread.currentThread());
        execution.stop(Stop.SHUTDOWN);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();

        execution.end();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        execution.stop(Stop.SHUTDOWN);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(execution.thread()).isNull();
    }

    @Test
    void itRunsForSomeTimeFromItsBeginToItsEnd() {
        assertThat(execution.runningFor()).isZero();

        execution.begin();
        assertThat(execution.runningFor()).isPositive().isLessThan(Duration.ofHours(1));

        execution.end();
        assertThat(execution.runningFor()).isZero();
    }

    @Test
    void theFirstReasonStandsUnlessTheClaimIsLost() {
        execution.stop(Stop.TIMED_OUT);
        execution.stop(Stop.SHUTDOWN);
        assertThat(execution.stopped()).isEqualTo(Stop.TIMED_OUT);

        execution.stop(Stop.CLAIM_LOST);
        execution.stop(Stop.CANCELLED);
        assertThat(execution.stopped()).isEqualTo(Stop.CLAIM_LOST);
    }

    @Test
    void exactlyOneCallerMayHandOverAnOutcome() {
        assertThat(execution.settled()).isFalse();

        assertThat(execution.settle()).isTrue();

        assertThat(execution.settle()).isFalse();
        assertThat(execution.settled()).isTrue();
    }

    @Test
    void aHandlerThatRunsOnAfterItsDeadlineAndTheGraceIsOverdue() {
        long deadline = System.nanoTime();
        long later = deadline + Duration.ofSeconds(10).toNanos();
        execution.deadline(deadline, new CompletableFuture<>());
        assertThat(execution.overdue(later, Duration.ofSeconds(10)))
                .as("not begun")
                .isFalse();

        execution.begin();
        assertThat(execution.overdue(later - 1, Duration.ofSeconds(10))).isFalse();
        assertThat(execution.overdue(later, Duration.ofSeconds(10))).isTrue();

        execution.end();
        assertThat(execution.overdue(later, Duration.ofSeconds(10))).isFalse();
    }

    @Test
    void aHandlerWithoutADeadlineIsNeverOverdue() {
        execution.begin();

        assertThat(execution.overdue(Long.MAX_VALUE, Duration.ZERO)).isFalse();
    }

    @Test
    void aNewDeadlineReplacesTheOldOneAndTheEndCancelsIt() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> second = new CompletableFuture<>();
        execution.begin();
        execution.deadline(1, first);

        execution.deadline(2, second);
        assertThat(first).isCancelled();
        assertThat(second).isNotCancelled();

        execution.end();
        assertThat(second).isCancelled();
    }
}
