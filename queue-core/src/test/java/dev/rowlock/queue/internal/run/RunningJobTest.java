package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.CancelResult;
import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.StopReason;
import dev.rowlock.queue.test.postgres.Representative;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What can happen to a job while its handler runs. */
@Representative
class RunningJobTest extends NodeTest {

    @Test
    void aHandlerPastItsDeadlineIsInterruptedAndTheAttemptFails() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            new CountDownLatch(1).await();
                            return null;
                        },
                        TestNode.timeout(Duration.ofMillis(150)))
                .start();

        long id = node.jobs.enqueue(new Greet("slow"), o -> o.maxRetries(1));
        node.awaitState(id, JobState.DEAD);

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.errors()).extracting(FailedAttempt::type).containsExactly("timeout", "timeout");
    }

    /** As a codec that encrypts its text elsewhere would be. */
    @Test
    void aHandlerWhoseResultWasBeingEncodedAtItsDeadlineRunsAgain() {
        node.listener(
                        Greet.class,
                        (context, payload) -> new SlowlyEncoded(context.attempt() == 1),
                        TestNode.timeout(Duration.ofMillis(150)))
                .start();

        long id = node.jobs.enqueue(new Greet("slow"), o -> o.maxRetries(1));
        node.awaitState(id, JobState.COMPLETED);

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.errors()).extracting(FailedAttempt::type).containsExactly("timeout");
    }

    record SlowlyEncoded(boolean slow) {

        public int getLength() throws InterruptedException {
            if (slow) {
                new CountDownLatch(1).await();
            }
            return 1;
        }
    }

    @Test
    void aHandlerCanExtendItsDeadline() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            context.extend(Duration.ofMinutes(1));
                            assertThat(context.deadline()).isPresent();
                            new CountDownLatch(1).await(400, TimeUnit.MILLISECONDS);
                            return null;
                        },
                        TestNode.timeout(Duration.ofMillis(200)))
                .start();

        long id = node.jobs.enqueue(new Greet("slow"));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().attempt()).isEqualTo(1);
    }

    @Test
    void aRunningJobThatIsCancelledIsInterruptedAndEndsAsCancelled() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicReference<Optional<StopReason>> told = new AtomicReference<>();
        node.listener(Greet.class, (context, payload) -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        told.set(context.stopReason());
                    }
                    return null;
                })
                .start();
        long id = node.jobs.enqueue(new Greet("Ada"));
        begun.await();

        CancelResult result = node.admin.cancel(id);
        node.awaitState(id, JobState.CANCELLED);

        assertThat(result).isEqualTo(CancelResult.REQUESTED);
        assertThat(told).hasValue(Optional.of(StopReason.CANCELLED));
        assertThat(node.admin.cancel(id)).isEqualTo(CancelResult.ALREADY_ENDED);
    }

    @Test
    void progressCanBeReadWhileTheJobRuns() {
        Semaphore gate = new Semaphore(0);
        node.listener(Greet.class, (context, payload) -> {
                    context.progress(40, "almost half");
                    gate.acquire();
                    return null;
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        Awaitility.await().until(() -> node.search.find(id).orElseThrow().progress() != null);

        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.progress()).isEqualTo(40);
        assertThat(job.progressNote()).isEqualTo("almost half");
        gate.release();
        node.awaitState(id, JobState.COMPLETED);
    }
}
