package dev.rowlock.queue.internal.node.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What a handler may know about its job. */
class JobContextTest extends NodeTest {

    @Test
    void aHandlerKnowsItsRetriesAndItsEarlierErrors() {
        Queue<String> attempts = new ConcurrentLinkedQueue<>();
        AtomicReference<List<FailedAttempt>> errors = new AtomicReference<>();
        node.listener(Greet.class, (context, payload) -> {
                    attempts.add("%d of %d retries%s"
                            .formatted(
                                    context.attempt() - 1,
                                    context.maxRetries(),
                                    context.lastAttempt() ? ", the last" : ""));
                    errors.set(context.errors());
                    throw new IllegalStateException("no " + context.attempt());
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"), o -> o.maxRetries(2));
        node.awaitState(id, JobState.DEAD);

        assertThat(attempts).containsExactly("0 of 2 retries", "1 of 2 retries", "2 of 2 retries, the last");
        assertThat(errors.get()).extracting(FailedAttempt::message).containsExactly("no 1", "no 2");
        assertThat(errors.get())
                .isEqualTo(node.search.find(id).orElseThrow().errors().subList(0, 2));
    }

    @Test
    void theRetriesAreTheJobsOwnOrItsListeners() {
        Queue<Integer> retries = new ConcurrentLinkedQueue<>();
        node.listener(Greet.class, (context, payload) -> retries.add(context.maxRetries()))
                .start();

        node.awaitState(node.jobs.enqueue(new Greet("listener's")), JobState.COMPLETED);
        node.awaitState(
                node.jobs.enqueue(
                        new Greet("policy's"),
                        o -> o.retry(RetryPolicy.fixed(Duration.ZERO).maxRetries(7))),
                JobState.COMPLETED);

        assertThat(retries).containsExactly(TestNode.QUICK.maxRetries(), 7);
    }

    @Test
    void aHandlerKnowsWhenItsJobWasEnqueuedAlsoIfItWaited() {
        AtomicReference<Instant> told = new AtomicReference<>();
        node.listener(Greet.class, (context, payload) -> {
                    told.set(context.enqueuedAt());
                    return null;
                })
                .start();

        long ready = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(ready, JobState.COMPLETED);
        assertThat(told.get()).isEqualTo(enqueuedAt(ready));

        long waited = node.jobs.enqueue(new Greet("Bob"), o -> o.delay(Duration.ofMillis(50)));
        node.awaitState(waited, JobState.COMPLETED);
        assertThat(told.get()).isEqualTo(enqueuedAt(waited));
    }

    private Instant enqueuedAt(long id) {
        return node.search.find(id).map(JobDetails::enqueuedAt).orElseThrow();
    }

    @Test
    void progressNeedsNoMessageAndCompletionNoResult() {
        node.listener(Greet.class, (context, payload) -> {
                    context.progress(40);
                    node.transactions.executeWithoutResult(status -> context.completeInTransaction());
                    return "ignored";
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().result()).isNull();
    }

    // Why a handler is to stop

    @Test
    void aHandlerThatMayGoOnHasNoReasonToStop() {
        AtomicReference<Optional<StopReason>> told = new AtomicReference<>();
        node.listener(Greet.class, (context, payload) -> {
                    told.set(context.stopReason());
                    return context.stopRequested();
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(told).hasValue(Optional.empty());
        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("false");
    }

    @Test
    void aTimeoutIsAReasonToStop() {
        AtomicReference<Optional<StopReason>> told = new AtomicReference<>();
        node.listener(
                        Greet.class,
                        (context, payload) -> awaitStop(context, told),
                        TestNode.timeout(Duration.ofMillis(20)))
                .start();

        node.awaitState(node.jobs.enqueue(new Greet("Ada"), o -> o.maxRetries(0)), JobState.DEAD);

        assertThat(told).hasValue(Optional.of(StopReason.TIMED_OUT));
    }

    @Test
    void aLostClaimIsAReasonToStop() {
        AtomicReference<Optional<StopReason>> told = new AtomicReference<>();
        node.lease(Duration.ofMinutes(30), Duration.ofMinutes(10), 3) // no heartbeat finds it first, and interrupts
                .listener(Greet.class, (context, payload) -> {
                    node.others.takeAway(context);
                    assertThatThrownBy(() -> context.progress(1)).isInstanceOf(ClaimLostException.class);
                    assertThatThrownBy(context::errors).isInstanceOf(ClaimLostException.class);
                    told.set(context.stopReason());
                    return null;
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitEvent("lost " + id);

        Awaitility.await().untilAsserted(() -> assertThat(told).hasValue(Optional.of(StopReason.CLAIM_LOST)));
    }

    /** Long before the drain timeout of ten seconds. */
    @Test
    void aHandlerThatAsksIsToldOfAShutdownBeforeItIsInterruptedAndGivesItsJobBackAtNoCost() {
        AtomicReference<Optional<StopReason>> told = new AtomicReference<>();
        CountDownLatch started = new CountDownLatch(1);
        node.listener(Greet.class, (context, payload) -> {
                    started.countDown();
                    Awaitility.await().until(context::stopRequested);
                    told.set(context.stopReason());
                    throw new IllegalStateException("half done, and the node stops");
                })
                .start();
        long id = node.jobs.enqueue(new Greet("Ada"));
        Awaitility.await().until(() -> started.getCount() == 0);

        node.stop();

        assertThat(told).hasValue(Optional.of(StopReason.SHUTDOWN));
        JobDetails job = node.search.find(id).orElseThrow();
        assertThat(job.state()).isEqualTo(JobState.READY);
        assertThat(job.attempt()).isZero();
        assertThat(job.errors()).isEmpty();
    }

    private static Object awaitStop(JobContext context, AtomicReference<Optional<StopReason>> told)
            throws InterruptedException {
        try {
            new CountDownLatch(1).await();
            return "never";
        } finally {
            told.set(context.stopReason());
        }
    }
}
